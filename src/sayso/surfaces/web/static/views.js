// The views of the page, in the order in which they are named. A new view is a file of its own and a row here.
// Each is an element with `refresh()`, which draws it anew and loses no focus and no typed text, and, if it minds, `leave()`.

import "./history.js";
import "./waiting.js";

/** `always` views are kept up to date also while another one is shown. */
export const VIEWS = [
  { name: "waiting", label: "Waiting", element: "sayso-waiting", always: true },
  { name: "history", label: "History", element: "sayso-history", always: false },
];
