// The views of the page, in the order in which they are named. A new view is a file of its own and a row here.
// Each is an element with `refresh()`, which draws it anew and loses no focus and no typed text, and, if it minds,
// `leave()`, and `began()` when the page was opened with it.

import "./actions.js";
import "./automation.js";
import "./chat.js";
import "./history.js";
import "./numbers.js";
import "./settings.js";
import "./tasks.js";
import "./waiting.js";

/**
 * `always` views are kept up to date also while another one is shown; `phone` ones stand in the bar of a small window.
 * `icon` is what an SVG path of 24 by 24 draws.
 * @type {{name: string, label: string, element: string, always?: boolean, phone?: boolean, icon?: string}[]}
 */
export const VIEWS = [
  { name: "chat", label: "Chat", element: "sayso-chat", phone: true, icon: "M4 5h16v11H10l-5 4v-4H4z" },
  { name: "waiting", label: "Waiting", element: "sayso-waiting", always: true, phone: true, icon: "M12 7v5l3 2M12 3a9 9 0 100 18 9 9 0 000-18z" },
  { name: "history", label: "History", element: "sayso-history", phone: true, icon: "M4 12a8 8 0 108-8 8 8 0 00-7 4V4m0 4h4M12 8v4l3 2" },
  { name: "tasks", label: "Tasks", element: "sayso-tasks", icon: "M4 6l1.5 1.5L8 5M4 13l1.5 1.5L8 12M11 6.5h9M11 13.5h9M4 19h.01M11 19.5h9" },
  { name: "actions", label: "My actions", element: "sayso-actions", icon: "M13 3L5 14h6l-1 7 8-11h-6z" },
  { name: "automation", label: "Automation", element: "sayso-automation", icon: "M12 3v3M12 18v3M3 12h3M18 12h3M12 8a4 4 0 100 8 4 4 0 000-8z" },
  { name: "numbers", label: "Numbers", element: "sayso-numbers", icon: "M4 20h16M7 20v-7M12 20V5M17 20v-10" },
  { name: "settings", label: "Settings", element: "sayso-settings", icon: "M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4M4 12h12M18 10v4" },
];
