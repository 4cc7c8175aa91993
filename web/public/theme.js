// Runs before the first paint, so that a dark page never flashes light. Kept apart: nothing is inline but the build's own.
try {
  var chosen = localStorage.getItem("litloop-theme");
  var dark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.classList.toggle("dark", dark);
} catch {
  // Storage may be refused; the light page is fine.
}
