import { type TargetHandler, Targets } from '../../../src/engine/scopes/targets.js';
import type { TargetKind } from '../../../src/kernel/callers/target.js';
import type { TestApp } from '../app.js';
import { putBackAtEnd } from '../put-back.js';

/** Replaces the handler of a kind of target until the spec file ends. */
export function replaceTarget(app: TestApp, kind: TargetKind, handler: TargetHandler): void {
  const targets = app.app.get(Targets, { strict: false });
  const original = targets['handlers'].get(kind);
  if (original !== undefined) putBackAtEnd(() => targets.register(kind, original));
  targets.register(kind, handler);
}
