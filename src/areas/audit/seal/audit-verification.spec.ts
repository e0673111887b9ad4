import { beforeEach, expect, it } from '@jest/globals';
import { MadeUpClock } from '../../../../test/support/clocks/made-up-clock.js';
import { recorded, specAt, specWorkspace } from '../../../../test/support/given/given.js';
import { beginningOf, type ChainPlace, digestOf, followingAll } from '../../../kernel/audit-chain/chain.js';
import { auditSealed, signHead, signingKeyOf } from '../../../kernel/audit-chain/signed-head.js';
import type { RecordedEvent } from '../../../kernel/event/event.js';
import type { RecordedLog } from '../../../ports/event-store.port.js';
import { auditReadingCategory } from '../reading/audit-reading.record.js';
import { auditSealCategory, sealStream } from './audit-seal.record.js';
import { AuditVerification } from './audit-verification.api.js';
import { auditedKinds } from './audited-kinds.js';
import type { SealKey } from './seal-key.api.js';
import { TrustedHeads } from './trusted-heads.api.js';

const signing = signingKeyOf(Buffer.alloc(32, 1));
const future = 'future';

let log: RecordedEvent[];
let place: ChainPlace;
let unsealed: string[];
beforeEach(() => {
  log = [];
  place = beginningOf(specWorkspace);
  unsealed = [];
});

function record(category: string, type: string): void {
  const event = { ...recorded(category, { type, data: {} }), id: `${log.length}`, position: log.length };
  log.push(event);
  unsealed.push(digestOf(event));
}

function seal(kinds: readonly string[]): void {
  const next = followingAll(place, unsealed);
  const about = { workspaceId: specWorkspace, ...next, previous: place, kinds, latest: specAt, signedAt: specAt };
  const last = { stream: log.at(-1)?.stream, revision: 0 };
  const revision = log.filter(({ type }) => type === auditSealed).length;
  const event = recorded(
    auditSealCategory,
    { type: auditSealed, data: { head: signHead(about, signing), digests: unsealed, last } },
    revision,
  );
  log.push({ ...event, stream: sealStream(specWorkspace), position: log.length });
  place = next;
  unsealed = [];
}

async function verdicts() {
  const events = {
    snapshot: async () => ({
      head: log.length - 1,
      keptFrom: new Map(),
      events: async function* () {
        yield* log;
      },
      close: async () => undefined,
    }),
    readStream: async (stream: string, { from, limit }: { readonly from: number; readonly limit: number }) =>
      log.filter((event) => event.stream === stream && event.revision >= from).slice(0, limit),
  } as unknown as RecordedLog;
  const clock = new MadeUpClock(Date.parse(specAt));
  return new AuditVerification(events, { signing } as SealKey, clock).verify(new TrustedHeads([]));
}

it('events of kinds that only a newer version knows are in the chain if that version sealed them', async () => {
  record(auditReadingCategory, 'AuditRead');
  record(future, 'FutureMade');
  seal([...auditedKinds(), future]);
  record(auditReadingCategory, 'AuditRead');
  seal(auditedKinds());
  expect(await verdicts()).toMatchObject([{ count: 3, seals: 2, unsealed: 0, problem: undefined }]);
  log = log.filter(({ type }) => type !== 'FutureMade');
  expect(await verdicts()).toMatchObject([{ problem: expect.stringContaining('event 2 is missing') }]);
});

it('events of other kinds are in no chain, whether this version knows them or not', async () => {
  record(auditReadingCategory, 'AuditRead');
  seal(auditedKinds());
  record('run', 'RunStarted');
  record(future, 'FutureMade');
  expect(await verdicts()).toMatchObject([{ count: 1, seals: 1, unsealed: 0, problem: undefined }]);
});
