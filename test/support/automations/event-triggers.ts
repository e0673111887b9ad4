import type { Reply, TestApp } from '../app.js';
import { eventually } from '../eventually.js';
import { done } from '../people.js';

/** Returns helpers for tests of account events. */
export function eventScene(app: TestApp) {
  let made = 0;
  const call = (operation: string, body: object = {}, key?: string) =>
    app.call(`accountEvents/${operation}`, body, key);
  const ok = (operation: string, body: object = {}) => done(app, `accountEvents/${operation}`, body);
  const fn = async (code = 'return params;', options: object = {}): Promise<string> => {
    const { id } = await done(app, 'automations/createFunction', { name: `Function ${++made}`, code, ...options });
    await done(app, 'automations/updateFunction', { id, isActive: true });
    return id;
  };
  const add = (targetRef: string, event: string, rest: object = {}) =>
    ok('addEventTrigger', { event, targetKind: 'account_function', targetRef, ...rest });
  const runs = (triggerId?: string, rest: object = {}): Promise<readonly TriggerRunShown[]> =>
    ok('eventTriggerRuns', { ...(triggerId === undefined ? {} : { triggerId }), ...rest });
  /** Returns the runs of a trigger once there are `count` of them and all have ended. */
  const over = (triggerId: string, count = 1) =>
    eventually(
      () => runs(triggerId, { limit: 200 }),
      (all) => all.length === count && all.every(({ status }) => status !== 'queued'),
      30_000,
    );
  return { call, ok, fn, add, runs, over };
}

export interface TriggerRunShown {
  readonly id: string;
  readonly triggerId: string;
  readonly status: string;
  readonly reason: string | null;
  readonly attempts: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every form.
  readonly event: any;
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

export type EventScene = ReturnType<typeof eventScene>;

/** Returns the status of a refusal and the paths that it names. */
export const pathsOf = ({ status, body }: Reply): readonly unknown[] => [
  status,
  ...(body.errors ?? []).map(({ path }: { path: string }) => path),
];
