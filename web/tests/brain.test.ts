import { expect, test } from "vitest";

import { type BrainShapes, type PlacedCondition, conditionsIn, litRegions, namesOf, spread, unpacked } from "@/lib/brain";

const packed = (numbers: ArrayBufferView) =>
  btoa(String.fromCharCode(...new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)));

const triangle = (x: number) => ({
  vertices: packed(new Float32Array([x, 0, 0, x, 3, 0, x, 0, 3])),
  faces: packed(new Uint16Array([0, 1, 2])),
});

const shapes: BrainShapes = {
  version: 1,
  source: "a test",
  regions: [
    { id: 2, name: "Insular Cortex", side: "left", cortical: true },
    { id: 3, name: "Insular Cortex", side: "right", cortical: true },
    { id: 100, name: "Pallidum", side: "left", cortical: false },
  ],
  cortex: {
    left: { ...triangle(-40), region: packed(new Int16Array([2, 2, -1])) },
    right: { ...triangle(40), region: packed(new Int16Array([3, 3, 3])) },
  },
  structures: [{ region: 100, ...triangle(-20) }],
};

const conditions: PlacedCondition[] = [
  { name: "A", papers: 3, regions: [2, 3], unplaced: [] },
  { name: "B", papers: 9, regions: [3, 100], unplaced: [] },
];

test("arrays are unpacked and each region has its middle", () => {
  const brain = unpacked(shapes);
  expect(brain.cortex.map((side) => [...side.faces])).toEqual([
    [0, 1, 2],
    [0, 1, 2],
  ]);
  expect(brain.middles.get(2)).toEqual([-40, 1.5, 0]);
  expect(brain.middles.get(3)).toEqual([40, 1, 1]);
  expect(brain.middles.get(100)).toEqual([-20, 1, 1]);
  expect(brain.middles.has(-1)).toBe(false);
});

test("a choice of conditions lights the regions of all of them", () => {
  expect([...litRegions(conditions, new Set(["A", "B"]))].sort((a, b) => a - b)).toEqual([2, 3, 100]);
  expect(litRegions(conditions, new Set()).size).toBe(0);
});

test("a region names its conditions, those with most papers first", () => {
  expect(conditionsIn(conditions, 3).map((one) => one.name)).toEqual(["B", "A"]);
  expect(conditionsIn(conditions, 7)).toEqual([]);
});

test("left and right of a region share one name", () => {
  expect(namesOf(unpacked(shapes).regions, [100, 3, 2])).toEqual([
    ["Insular Cortex", [3, 2]],
    ["Pallidum", [100]],
  ]);
});

test("names cover neither each other nor the edge, and one without a place near its region is left to the list", () => {
  const box = (x: number, y: number) => ({ x, y, width: 100, height: 20 });
  expect(spread([box(150, 100), box(20, 100)], 300, 200)).toEqual([{ x: 100, y: 90 }, { x: 3, y: 113 }]);
  const crowd = Array.from({ length: 9 }, () => box(150, 100));
  const spots = spread(crowd, 300, 200);
  const shown = spots.filter((spot) => spot !== null).map((spot) => spot.y).sort((a, b) => a - b);
  expect(shown.length).toBeGreaterThan(4);
  expect(shown.every((y, at) => at === 0 || y - (shown[at - 1] ?? 0) >= 20)).toBe(true);
  expect(spots).toContain(null);
});
