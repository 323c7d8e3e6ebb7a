"""A small computer in memory whose mail, calendar, tabs, windows and tasks the page can show cards about."""

WORLD = """
[policy]
mode = "always"
[mail]
kind = "memory"
[calendar]
kind = "memory"
[[calendar.world.events]]
uid = "e1"
title = "Review"
start = "2026-03-18T10:00:00+00:00"
end = "2026-03-18T11:00:00+00:00"
location = "Room 1"
[browser]
kind = "memory"
[[browser.world.windows]]
tabs = [{ url = "https://one.example/", title = "One" }, { url = "https://two.example/", title = "Two" }]
[apps]
kind = "memory"
[apps.world]
installed = ["Clock"]
running = ["Clock"]
windows = [{ app = "Clock", bounds = [100, 100, 500, 400] }]
[[apps.world.monitors]]
name = "Main"
bounds = [0, 0, 1920, 1080]
main = true
[[apps.world.monitors]]
name = "Left"
bounds = [-1920, 0, 0, 1080]
[tasks]
kind = "memory"
world = { tasks = [{ id = "t1", text = "Call Ann" }] }
[desktop]
kind = "memory"
"""
