"""What starts an automation by itself: schedules, events, and generators."""
