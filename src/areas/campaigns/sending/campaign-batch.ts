import { derivedId } from '../../../kernel/event/derived-id.js';
import type { Recorded } from '../../../kernel/event/event.js';
import { parseStream } from '../../../kernel/event/stream-name.js';
import type { Aggregate } from '../../../kernel/record/aggregate.js';
import { refuse } from '../campaigns.refusals.js';
import {
  type BatchOf,
  type CampaignBatch,
  type CampaignBatchEvent,
  campaignBatchCategory,
  type RecipientOutcome,
} from './campaign-batch.record.js';

export const inFlightLost =
  'The service stopped while this mail was being sent. It may have arrived, so it is not sent again.';

export const campaignBatches: Aggregate<CampaignBatch | undefined, CampaignBatchEvent> = {
  category: campaignBatchCategory,
  initial: undefined,
  evolve: evolveBatch,
  exists: (batch) => batch !== undefined,
  missing: () => refuse('campaign-not-found'),
};

/**
 * The id is derived from the number, so that two processes that list the same audience conflict on the next batch and
 * only one of them records it.
 */
export const campaignBatchId = (campaignId: string, number: number): string =>
  derivedId('cbt', `${campaignId}/${number}`);

/** Value of `openAt` for a batch that any process may claim at once, even if a clock was set back. */
export const alwaysClaimable = '1970-01-01T00:00:00.000Z';

/**
 * Maximum time from the release of a batch to its `openAt`, in milliseconds. If `openAt` is further away than this, the
 * clock was set back after the release, and the batch can be claimed at once.
 */
export const longestRestMs = 5 * 60_000;

export function evolveBatch(
  before: CampaignBatch | undefined,
  event: Recorded<CampaignBatchEvent>,
): CampaignBatch | undefined {
  if (event.type === 'CampaignBatchListed') {
    const { id, workspaceId } = parseStream(event.stream);
    const waiting = event.data.userIds.length;
    const none = { process: null, taken: [], tries: {}, settled: [], sent: 0, failed: 0, suppressed: 0 };
    return { id, workspaceId, ...event.data, ...none, waiting, openAt: alwaysClaimable };
  }
  if (before === undefined) return undefined;
  switch (event.type) {
    case 'CampaignBatchClaimed':
      return { ...before, process: event.data.process };
    case 'CampaignBatchReleased':
      return { ...before, process: null, openAt: before.waiting === 0 ? null : event.data.openAt };
    case 'CampaignBatchMoved':
      return moved(before, event.data, event.metadata.at);
  }
}

export interface Moves {
  readonly taken: readonly number[];
  readonly untaken: readonly number[];
  readonly again: readonly number[];
  readonly settled: readonly RecipientOutcome[];
}

function moved(before: CampaignBatch, { taken, untaken, again, settled }: Moves, on: string): CampaignBatch {
  const over = new Set([...untaken, ...settled.map(({ at }) => at)]);
  const count = (status: RecipientOutcome['status']) => settled.filter((one) => one.status === status).length;
  const waiting = before.waiting - settled.length;
  return {
    ...before,
    taken: [...before.taken.filter((at) => !over.has(at)), ...taken],
    tries: { ...before.tries, ...Object.fromEntries(again.map((at) => [at, (before.tries[at] ?? 0) + 1])) },
    settled: [...before.settled, ...settled.map((one) => ({ ...one, on }))],
    sent: before.sent + count('sent'),
    failed: before.failed + count('failed'),
    suppressed: before.suppressed + count('suppressed'),
    waiting,
    openAt: waiting === 0 ? null : before.openAt,
  };
}

export function listBatch(
  before: CampaignBatch | undefined,
  listed: BatchOf & { readonly number: number; readonly userIds: readonly string[]; readonly through: string },
): readonly CampaignBatchEvent[] {
  return before === undefined ? [{ type: 'CampaignBatchListed', data: listed }] : [];
}

/**
 * A batch cannot be claimed while another running process sends it or, unless a clock was set back, before its
 * `openAt`. If the previous process died, its mails in flight are recorded as failed: they have possibly arrived, and
 * no recipient may get two.
 */
export function claimBatch(
  before: CampaignBatch | undefined,
  process: string,
  alive: ReadonlySet<string>,
  now: number,
): readonly CampaignBatchEvent[] {
  if (before === undefined || before.openAt === null || rests(before.openAt, now)) return [];
  // If this process itself claimed the batch, its attempt to send the batch has failed and its mails are no longer in
  // flight, so it may claim the batch again.
  if (before.process !== null && before.process !== process && alive.has(before.process)) return [];
  const settled = before.taken.map((at) => ({ at, status: 'failed', reason: inFlightLost }) as const);
  const data = { ...ofOne(before), taken: [], untaken: [], again: [], settled };
  return [
    ...(settled.length === 0 ? [] : [{ type: 'CampaignBatchMoved', data } as const]),
    ...(settled.length === before.waiting
      ? []
      : [{ type: 'CampaignBatchClaimed', data: { ...ofOne(before), process } } as const]),
  ];
}

/**
 * Recipients that are already taken, or have an outcome, are not taken again. If another process has claimed the batch,
 * nothing is recorded: this process was considered dead, and its mails have an outcome already.
 */
export function moveBatch(
  before: CampaignBatch | undefined,
  process: string,
  moves: Moves,
): readonly CampaignBatchEvent[] {
  if (before?.process !== process) return [];
  const settledBefore = new Set(before.settled.map(({ at }) => at));
  const settled = moves.settled.filter(({ at }) => !settledBefore.has(at));
  const over = new Set([...settledBefore, ...settled.map(({ at }) => at)]);
  const flying = new Set(before.taken);
  const taken = moves.taken.filter((at) => !over.has(at) && !flying.has(at));
  const untaken = moves.untaken.filter((at) => flying.has(at) && !over.has(at));
  const again = moves.again.filter((at) => untaken.includes(at));
  if (taken.length + untaken.length + settled.length === 0) return [];
  return [{ type: 'CampaignBatchMoved', data: { ...ofOne(before), taken, untaken, again, settled } }];
}

export function releaseBatch(before: CampaignBatch | undefined, process: string, openAt: string) {
  if (before === undefined || before.process !== process || before.openAt === null) return [];
  return [{ type: 'CampaignBatchReleased', data: { ...ofOne(before), openAt } } as const];
}

const rests = (openAt: string, now: number) => Date.parse(openAt) > now && Date.parse(openAt) <= now + longestRestMs;

export function unsettledRecipients({ userIds, settled, taken }: CampaignBatch): readonly number[] {
  const over = new Set([...taken, ...settled.map(({ at }) => at)]);
  return userIds.flatMap((_, at) => (over.has(at) ? [] : [at]));
}

const ofOne = ({ projectId, campaignId }: BatchOf): BatchOf => ({ projectId, campaignId });
