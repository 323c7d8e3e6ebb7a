"""A folder of .ics files, one for each event or reminder, as khal and vdirsyncer keep them."""
