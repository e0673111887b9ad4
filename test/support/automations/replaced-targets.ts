import { afterAll } from '@jest/globals';
import { type TargetHandler, Targets } from '../../../src/engine/scopes/targets.js';
import type { TargetKind } from '../../../src/kernel/callers/target.js';
import type { TestApp } from '../app.js';

const putBack: (() => void)[] = [];
afterAll(() => {
  for (const original of putBack.reverse()) original();
});

/** Other spec files may use this service: they find the real targets again. */
export function replaceTarget(app: TestApp, kind: TargetKind, handler: TargetHandler): void {
  const targets = app.app.get(Targets, { strict: false });
  const original = targets['handlers'].get(kind);
  if (original !== undefined) putBack.push(() => targets.register(kind, original));
  targets.register(kind, handler);
}
