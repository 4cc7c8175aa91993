import { expect, test } from "vitest";

import { healthInWords } from "@/lib/health";

const part = (state: "ok" | "warn" | "fail" | "off") => ({ name: "models", state, sentence: "Calls on the direct path fail." });

test("the page says that everything works only while no part says otherwise", () => {
  expect(healthInWords({ status: "ok", parts: [part("ok"), part("off")] }).word).toBe("Everything works");
  expect(healthInWords({ status: "ok", parts: [part("ok"), part("warn")] })).toEqual({ word: "Works, with a warning", tone: "warn" });
  expect(healthInWords({ status: "degraded", parts: [part("fail")] }).word).toBe("Something is not working");
});
