import type { Health } from "@/lib/api/types";
import type { Tone } from "@/lib/run/words";

const STATES: Record<Health["status"], { word: string; tone: Tone }> = {
  ok: { word: "Everything works", tone: "good" },
  warming: { word: "Loading the models", tone: "open" },
  degraded: { word: "Something is not working", tone: "warn" },
};

/** The server's health in a few words, which never say more than its parts do. */
export function healthInWords(health: Pick<Health, "status" | "parts">): { word: string; tone: Tone } {
  if (health.status === "ok" && health.parts.some((part) => part.state === "warn" || part.state === "fail")) {
    return { word: "Works, with a warning", tone: "warn" };
  }
  return STATES[health.status];
}
