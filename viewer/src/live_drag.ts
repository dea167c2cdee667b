// live_drag.ts - pulling at bodies: from the point under the pointer a spring to where the pointer goes
// It goes in the plane through that point that faces the camera. With Shift the pointer turns the camera as elsewhere.

import { Plane, Raycaster, Vector2, Vector3 } from "three";
import type { Link } from "./live_link";
import type { Stage } from "./stage";

export function watchDrags(stage: Stage, box: HTMLElement, link: Link): void {
  let held: { body: number; point: Vector3; plane: Plane; pointer: number } | null = null;
  let wanted: Vector3 | null = null;
  const ray = new Raycaster();

  const aim = (e: PointerEvent): void => {
    const r = stage.canvas.getBoundingClientRect();
    ray.setFromCamera(new Vector2((2 * (e.clientX - r.left)) / r.width - 1, 1 - (2 * (e.clientY - r.top)) / r.height), stage.camera);
  };
  // At most once per picture.
  const send = (): void => {
    if (!held || !wanted) return;
    link.send({ do: "drag", body: held.body, point: held.point.toArray(), target: wanted.toArray() });
    wanted = null;
  };
  const end = (): void => {
    if (!held) return;
    held = null;
    wanted = null;
    stage.controls.enabled = true;
    stage.canvas.style.cursor = "";
    link.send({ do: "release" });
  };

  // Before the camera's own listeners.
  box.addEventListener(
    "pointerdown",
    (e) => {
      if (e.target !== stage.canvas || e.button !== 0 || e.shiftKey || !link.open) return;
      const hit = stage.findHit(e.clientX, e.clientY);
      if (!hit || hit.body === 0) return;
      const normal = stage.camera.getWorldDirection(new Vector3());
      held = {
        body: hit.body,
        point: stage.toBody(hit.body, hit.point),
        plane: new Plane().setFromNormalAndCoplanarPoint(normal, hit.point),
        pointer: e.pointerId,
      };
      stage.controls.enabled = false;
      stage.canvas.style.cursor = "grabbing";
      stage.canvas.setPointerCapture(e.pointerId);
    },
    { capture: true },
  );
  stage.canvas.addEventListener("pointermove", (e) => {
    if (!held || e.pointerId !== held.pointer) return;
    aim(e);
    const target = ray.ray.intersectPlane(held.plane, new Vector3());
    if (!target) return;
    if (!wanted) requestAnimationFrame(send);
    wanted = target;
  });
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"] as const) stage.canvas.addEventListener(name, end);
  window.addEventListener("blur", end);
}
