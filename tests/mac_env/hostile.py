"""Texts that would break a script if they became part of it."""

ONE_LINE = '“ü” 🙂 \\ ` ${1} " & (do shell script "id") & " \'$(id)\' --option <b>&amp;'
LINES = f"{ONE_LINE}\nsecond\n\nfourth\u2028 \u2029 ü\n"
LONG = "x😀" * 500_000
