// Benchmarks run this file with Node directly, without a build, so it must not import code of the service.
import type { ServiceProcess } from '../service-process.js';

export interface MailScene {
  readonly functionId: string;
  readonly mailhookId: string;
  readonly address: string;
}

/** Creates an active function that ends at once, and its mailhook. */
export async function setMailScene(service: ServiceProcess, name = 'Mail'): Promise<MailScene> {
  await service.call('workspace/updateSettings', { runsTab: true });
  const { body: fn } = await service.call('automations/createFunction', {
    name,
    code: 'return params.subject',
  });
  await service.call('automations/updateFunction', { id: fn.id, isActive: true });
  const input = { name: 'Mail', targetKind: 'account_function', targetRef: fn.id };
  const { body: hook } = await service.call('automations/createMailhook', input);
  return { functionId: fn.id, mailhookId: hook.id, address: hook.address };
}

export interface MailRecord {
  readonly id: string;
  readonly subject: string | null;
  readonly status: string;
  readonly runId: string | null;
  readonly error: string | null;
}

/** Error of a run that was interrupted by three crashes, and is not attempted again. */
const cutOff = 'The service stopped while this run was going.';

interface RunRecord {
  readonly id: string;
  readonly status: string;
  readonly attempts: readonly { readonly error: string | null }[];
}

async function all<One extends { readonly id: string }>(
  service: ServiceProcess,
  operation: string,
  input: object,
  limit: number,
): Promise<readonly One[]> {
  const found: One[] = [];
  for (let before: string | undefined; ; ) {
    const { body } = await service.call(operation, { ...input, limit, ...(before === undefined ? {} : { before }) });
    found.push(...(body as readonly One[]));
    before = (body as readonly One[]).at(-1)?.id;
    if (before === undefined) return found;
  }
}

export const mailsIn = (service: ServiceProcess, { mailhookId }: MailScene) =>
  all<MailRecord>(service, 'automations/listInboundEmails', { mailhookId }, 100);

/** Returns a sentence for each mail that was lost or ran twice. Waits until no work is left. */
export async function mailTroubles(service: ServiceProcess, scene: MailScene, acknowledged: ReadonlySet<string>) {
  let mails = await mailsIn(service, scene);
  for (let patience = 600; patience > 0 && mails.some(({ status }) => status === 'received'); patience -= 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    mails = await mailsIn(service, scene);
  }
  const runs = await all<RunRecord>(service, 'automations/listRuns', { functionId: scene.functionId }, 200);
  const bySubject = Map.groupBy(mails, ({ subject }) => subject ?? '');
  const troubles = [...acknowledged].flatMap((name) => {
    const same = bySubject.get(name) ?? [];
    if (same.length === 0) return [`${name} was acknowledged and is not there`];
    const ran = same.filter(({ status }) => status === 'ok');
    if (same.some(({ error }) => error === cutOff)) return [];
    if (ran.length !== 1)
      return [`${name} is there ${same.map(({ status, error }) => `${status} ${error}`).join(', ')}`];
    return new Set(same.map(({ runId }) => runId)).size === 1 ? [] : [`${name} has several runs`];
  });
  const first = new Set(mails.filter(({ status }) => status !== 'duplicate').map(({ runId }) => runId));
  const strange = runs.filter(({ id }) => !first.has(id)).map(({ id }) => `run ${id} is of no mail`);
  // Only an attempt that failed may be followed by another. Otherwise the mail ran twice.
  const twice = runs
    .filter(({ attempts }) => attempts.slice(0, -1).some(({ error }) => error === null))
    .map(({ id }) => `run ${id} was made twice`);
  const retried = runs.filter(({ attempts }) => attempts.length > 1).length;
  return { troubles: [...troubles, ...strange, ...twice], kept: mails.length, runs: runs.length, retried };
}
