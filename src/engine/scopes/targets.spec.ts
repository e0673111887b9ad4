import { describe, expect, test } from '@jest/globals';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { type TargetHandler, type TargetStart, Targets } from './targets.js';

class Lane implements TargetHandler {
  readonly started: TargetStart[] = [];

  async find(workspaceId: string, ref: string) {
    return ref === 'here' ? { name: `${workspaceId} ${ref}`, isActive: true } : undefined;
  }

  async isGoing(_: string, runId: string) {
    return runId === 'known' ? true : undefined;
  }

  async start(starts: readonly TargetStart[]): Promise<void> {
    this.started.push(...starts);
  }
}

const startOf = (kind: 'flow' | 'account_function', ref: string) => ({ target: { kind, ref } }) as TargetStart;

const codeOf = (refused: Promise<unknown>) => refused.then(String, (error: unknown) => (error as Refusal).code);

describe('targets', () => {
  test('each kind is found and started by the area that declared it', async () => {
    const targets = new Targets();
    const [flows, functions] = [new Lane(), new Lane()];
    targets.register('flow', flows);
    targets.register('account_function', functions);
    expect(await targets.find('ws_1', { kind: 'flow', ref: 'here' })).toEqual({ name: 'ws_1 here', isActive: true });
    expect(await targets.isGoing('ws_1', { kind: 'flow', ref: 'here' }, 'known')).toBe(true);
    await targets.start([startOf('flow', 'a'), startOf('account_function', 'b'), startOf('flow', 'c')]);
    expect(flows.started.map(({ target }) => target.ref)).toEqual(['a', 'c']);
    expect(functions.started.map(({ target }) => target.ref)).toEqual(['b']);
  });

  test('an unknown one is refused if it is required', async () => {
    const targets = new Targets();
    targets.register('flow', new Lane());
    expect(await targets.find('ws_1', { kind: 'flow', ref: 'gone' })).toBeUndefined();
    expect(await codeOf(targets.require('ws_1', { kind: 'flow', ref: 'gone' }))).toBe('target-not-found');
  });

  test('a kind that the workspace has switched off is refused if it is required, whether or not it exists', async () => {
    const targets = new Targets();
    targets.register('site_function', new Lane());
    targets.switchedBy('site_function', async (workspaceId) => workspaceId === 'ws_on');
    const target = { kind: 'site_function', ref: 'here' } as const;
    expect(await targets.require('ws_on', target)).toMatchObject({ isActive: true });
    expect(await codeOf(targets.require('ws_off', target))).toBe('site-targets-off');
    expect([await targets.isOn('ws_off', 'site_function'), await targets.isOn('ws_off', 'flow')]).toEqual([
      false,
      true,
    ]);
  });

  test('an undeclared kind is refused with an explanation', async () => {
    const asked = new Targets().find('ws_1', { kind: 'site_function', ref: 'x' });
    await expect(asked).rejects.toThrow('Nothing can be started as a site function here');
    await expect(asked).rejects.toBeInstanceOf(Refusal);
  });
});
