import { expect } from '@jest/globals';
import type { TestApp } from '../app.js';
import { eventually } from '../eventually.js';
import { hooked, mailsOf, runsOf } from '../mail/mailhooks.js';
import { mailOf, ordinary } from '../mail/mails.js';
import { deliver } from '../mail/smtp-client.js';
import { done } from '../people.js';
import { agentWith, ended } from './agents.js';
import { eventScene } from './event-triggers.js';
import { activeFlow, activeFunction, endedRun } from './flows.js';

/**
 * Creates one of every kind of work that runners share. The returned functions begin the work as often as needed, and
 * check the results at the end.
 */
export async function runnerWork(api: TestApp, mailPort: number, code: string) {
  const scene = eventScene(api);
  const [ofFlows, ofEvents] = [await activeFunction(api, code), await activeFunction(api, code)];
  const flow = await activeFlow(api, [
    { id: 'run', kind: 'run_function', settings: { function: ofFlows, params: { n: '{{input.n}}' } } },
    { id: 'tell', kind: 'raise_event', settings: { name: 'told', properties: { n: '{{input.n}}' } } },
  ]);
  const trigger = await scene.add(ofEvents, 'custom.told');
  const mailhook = await hooked(api, code);
  const agent = await agentWith(api);
  const flowRuns: string[] = [];
  const agentRuns: string[] = [];
  let mails = 0;

  return {
    /** Begins `count` pieces of work of each kind. Resolves when all of them are accepted. */
    async begin(count: number): Promise<void> {
      const each = Array.from({ length: count }, (_, n) => n);
      const begun = each.map(async (n) => {
        flowRuns.push((await done(api, 'flows/runFlow', { id: flow, input: { n } })).runId);
        agentRuns.push((await done(api, 'agents/runAgent', { id: agent.id, input: `work ${n}` })).runId);
        const mail = mailOf(ordinary([`Message-ID: <work-${mails++}@x>`]));
        expect(await deliver(mailPort, mailhook.address, mail)).toMatch(/^250/);
      });
      await Promise.all(begun);
    },
    /** Whether a run is in progress in each of the two functions that the work calls. */
    async isInHand(): Promise<boolean> {
      const runs = await Promise.all([ofFlows, mailhook.fnId].map((id) => runsOf(api, id)));
      return runs.every((list: readonly { status: string }[]) => list.some(({ status }) => status === 'running'));
    },
    /** Waits until all work has ended, and returns how often each piece was done. */
    async over() {
      for (const runId of flowRuns) expect(await endedRun(api, runId, 120_000)).toMatchObject({ status: 'success' });
      for (const runId of agentRuns) {
        expect(await ended(api, runId)).toMatchObject({ status: 'success', answer: 'Done.' });
      }
      const received = await eventually(
        () => mailsOf(api, mailhook.id),
        (list) => list.length === mails && list.every(({ status }: { status: string }) => status !== 'received'),
        120_000,
      );
      const triggerRuns = await eventually(
        () => scene.runs(trigger.id, { limit: 200 }),
        (list) => list.length === flowRuns.length && list.every(({ status }) => status !== 'queued'),
        120_000,
      );
      const { events } = await done(api, 'audit/listEvents', { kind: 'accountEvent', limit: 200 });
      return {
        mails: [...new Set(received.map(({ status }: { status: string }) => status))],
        triggerRuns: [...new Set(triggerRuns.map(({ status }) => status))],
        events: events.length,
        functionRuns: await Promise.all(
          [ofFlows, ofEvents, mailhook.fnId].map(async (id) => (await runsOf(api, id)).length),
        ),
        aiCredits: (await done(api, 'workspace/getWorkspace')).aiCredits,
      };
    },
  };
}
