import {
  AmbientLight,
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  PerspectiveCamera,
  Raycaster,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

import type { Brain, Hemisphere, Structure } from "@/lib/brain";

/** Colours from the page's own palette, so that the brain changes with the theme. */
export interface Palette {
  tissue: string;
  lit: string;
  pointed: string;
}

export interface Label {
  region: number;
  x: number;
  y: number;
  /** On the side that faces away. */
  behind: boolean;
}

const SEE_THROUGH = 0.28;
const DISTANCE = 300; // mm from the middle of the brain
const FIELD_OF_VIEW = 35; // degrees, from bottom to top
const NARROWEST = 1.05; // width to height below which the brain, seen from its side, would be cut off

/** Draws the brain into a canvas. Renders only when something changed. */
export class BrainScene {
  private readonly renderer: WebGLRenderer;
  private readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 1, 2000);
  private readonly scene = new Scene();
  private readonly light = new DirectionalLight(0xffffff, 2.1);
  private readonly controls: OrbitControls;
  private readonly cortex: Cortex[];
  private readonly structures: Mesh<BufferGeometry, MeshStandardMaterial>[];
  private palette: Palette = { tissue: "#cccccc", lit: "#1f5173", pointed: "#84570a" };
  private lit = new Set<number>();
  private pointed: number | null = null;
  private waiting = false;

  /** Raises when the browser cannot draw in three dimensions. */
  constructor(
    canvas: HTMLCanvasElement,
    private readonly brain: Brain,
    private readonly onFrame: (labels: Label[]) => void,
  ) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.cortex = brain.cortex.map(cortexOf);
    this.structures = brain.structures.map(structureMesh);
    this.scene.add(new AmbientLight(0xffffff, 1.15), this.light, ...this.structures);
    for (const side of this.cortex) this.scene.add(side.mesh, side.depth);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enablePan = false;
    this.controls.minDistance = 160;
    this.controls.maxDistance = 500;
    this.controls.addEventListener("change", () => this.draw());
    this.look("left");
  }

  look(from: "left" | "right" | "front" | "top"): void {
    const places = { left: [-1, 0.12, 0.18], right: [1, 0.12, 0.18], front: [0, 1, 0.1], top: [0, -0.01, 1] } as const;
    this.camera.up.set(0, 0, 1);
    const [x, y, z] = places[from];
    this.controls.target.set(0, -18, 12);
    this.camera.position.set(x, y, z).setLength(DISTANCE).add(this.controls.target);
    this.controls.update();
    this.draw();
  }

  paint(palette: Palette): void {
    this.palette = palette;
    this.colour();
  }

  highlight(lit: Set<number>): void {
    this.lit = lit;
    this.colour();
  }

  point(region: number | null): void {
    if (region === this.pointed) return;
    this.pointed = region;
    this.colour();
  }

  resize(width: number, height: number): void {
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(height, 1);
    const half = Math.tan((FIELD_OF_VIEW * Math.PI) / 360) * Math.max(1, NARROWEST / this.camera.aspect);
    this.camera.fov = (Math.atan(half) * 360) / Math.PI;
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  /** The region under a point of the canvas, given in -1 to 1 from the left and the bottom. */
  regionAt(x: number, y: number): number | null {
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2(x, y), this.camera);
    // Where the cortex is see-through, a structure that is lit stands before it.
    const inner = ray.intersectObjects(this.structures)[0];
    const innerRegion = inner ? regionOf(inner.object) : null;
    if (innerRegion !== null && this.seesInside && this.lit.has(innerRegion)) return innerRegion;
    const outer = ray.intersectObjects(this.cortex.map((side) => side.mesh))[0];
    const regions = this.cortex.find((side) => side.mesh === outer?.object)?.side.region;
    if (!outer?.face || !regions) return innerRegion;
    const found = [outer.face.a, outer.face.b, outer.face.c].map((vertex) => regions[vertex] ?? -1);
    return found.find((region) => region >= 0) ?? null;
  }

  dispose(): void {
    this.controls.dispose();
    for (const { mesh, depth } of this.cortex) {
      mesh.geometry.dispose();
      for (const material of [...mesh.material, depth.material]) material.dispose();
    }
    for (const mesh of this.structures) {
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
    this.renderer.dispose();
  }

  private get seesInside(): boolean {
    return [...this.lit].some((region) => this.brain.regions.get(region)?.cortical === false);
  }

  private colour(): void {
    const tissue = new Color(this.palette.tissue);
    const lit = new Color(this.palette.lit);
    const pointed = new Color(this.palette.pointed);
    const of = (region: number) => (region === this.pointed ? pointed : this.lit.has(region) ? lit : tissue);
    const inside = this.seesInside;
    for (const { side, mesh, depth } of this.cortex) {
      const colours = mesh.geometry.getAttribute("color") as BufferAttribute;
      side.region.forEach((region, vertex) => {
        const colour = of(region);
        colours.setXYZ(vertex, colour.r, colour.g, colour.b);
      });
      colours.needsUpdate = true;
      const solid = (region: number) => !inside || region === this.pointed || this.lit.has(region);
      layered(mesh.geometry, side, (vertex) => solid(side.region[vertex] ?? -1));
      depth.visible = inside;
    }
    for (const mesh of this.structures) mesh.material.color.copy(of(regionOf(mesh) ?? -1));
    this.draw();
  }

  private draw(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.light.position.copy(this.camera.position);
      this.renderer.render(this.scene, this.camera);
      this.onFrame(this.labels());
    });
  }

  private labels(): Label[] {
    const size = this.renderer.getSize(new Vector2());
    const middle = this.controls.target.distanceTo(this.camera.position);
    return [...this.lit].flatMap((region) => {
      const at = this.brain.middles.get(region);
      if (!at) return [];
      const place = new Vector3(...at);
      const behind = place.distanceTo(this.camera.position) > middle + 8;
      place.project(this.camera);
      return [{ region, x: ((place.x + 1) / 2) * size.x, y: ((1 - place.y) / 2) * size.y, behind }];
    });
  }
}

interface Cortex {
  side: Hemisphere;
  /** Drawn with two materials: what is solid first, then what is seen through. */
  mesh: Mesh<BufferGeometry, [MeshStandardMaterial, MeshStandardMaterial]>;
  /** Only the depth of it: of what is seen through no more than the nearest layer is drawn, not every fold behind it. */
  depth: Mesh<BufferGeometry, MeshBasicMaterial>;
}

function cortexOf(side: Hemisphere): Cortex {
  const geometry = geometryOf(side.vertices, side.faces.slice());
  geometry.setAttribute("color", new BufferAttribute(new Float32Array(side.vertices.length).fill(1), 3));
  const look = { vertexColors: true, roughness: 0.85 };
  const glass = new MeshStandardMaterial({ ...look, transparent: true, opacity: SEE_THROUGH, depthWrite: false });
  const mesh: Cortex["mesh"] = new Mesh(geometry, [new MeshStandardMaterial(look), glass]);
  const depth = new Mesh(geometry, new MeshBasicMaterial({ colorWrite: false, transparent: true }));
  mesh.renderOrder = 2;
  depth.renderOrder = 1;
  return { side, mesh, depth };
}

/** Puts the faces with a solid corner first, and says which of the two materials each part takes. */
function layered(geometry: BufferGeometry, { faces }: Hemisphere, solid: (vertex: number) => boolean): void {
  const index = geometry.getIndex();
  if (!index) return;
  let front = 0;
  let back = faces.length;
  for (let at = 0; at < faces.length; at += 3) {
    const corners = [faces[at] ?? 0, faces[at + 1] ?? 0, faces[at + 2] ?? 0];
    const place = corners.some(solid) ? front : (back -= 3);
    if (place === front) front += 3;
    corners.forEach((vertex, corner) => index.setX(place + corner, vertex));
  }
  index.needsUpdate = true;
  geometry.clearGroups();
  geometry.addGroup(0, front, 0);
  geometry.addGroup(front, faces.length - front, 1);
}

function structureMesh(one: Structure): Mesh<BufferGeometry, MeshStandardMaterial> {
  const mesh = new Mesh(geometryOf(one.vertices, one.faces), new MeshStandardMaterial({ roughness: 0.7 }));
  mesh.userData.id = one.region;
  return mesh;
}

function geometryOf(vertices: Float32Array, faces: Uint16Array): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(vertices, 3));
  geometry.setIndex(new BufferAttribute(faces, 1));
  geometry.computeVertexNormals();
  return geometry;
}

function regionOf(object: { userData: Record<string, unknown> }): number | null {
  return typeof object.userData.id === "number" ? object.userData.id : null;
}
