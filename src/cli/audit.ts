import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { masterKeyCheck } from '../app.module.js';
import { AuditVerification } from '../areas/audit/seal/audit-verification.api.js';
import { LastHeads } from '../areas/audit/seal/last-heads.api.js';
import { SealKey } from '../areas/audit/seal/seal-key.api.js';
import type { TrustedHeadCheck } from '../areas/audit/seal/trusted-head-check.api.js';
import { TrustedHeads } from '../areas/audit/seal/trusted-heads.api.js';
import { readEnvironment } from '../config/environment.js';
import type { ChainPlace } from '../kernel/audit-chain/chain.js';
import { checkExport, type ExportVerdict } from '../kernel/audit-chain/export-check.js';
import { fingerprintOf } from '../kernel/audit-chain/signed-head.js';
import { assemble } from '../start.js';
import { mustHoldData } from './backup.js';
import { optional } from './flags.js';
import type { Invocation } from './invocation.js';
import { textLines } from './text-lines.js';

type Verdict = Awaited<ReturnType<AuditVerification['verify']>>[number];

/**
 * Verifies the stores, while the service may be running, or an exported file, which needs neither the stores nor the
 * master key. The exit code is 1 if anything is wrong.
 */
export async function verifyAudit(invocation: Invocation): Promise<number> {
  const [file] = invocation.words;
  if (file === undefined && invocation.flags['key'] !== undefined) throw new Error('--key requires a FILE.');
  return file === undefined ? verifyStores(invocation) : verifyFile(file, invocation);
}

async function verifyFile(path: string, { flags, console }: Invocation): Promise<number> {
  const saved = savedHeads(flags);
  const expectedKey = optional(flags, 'key');
  const file = await open(path).catch(() => {
    throw new Error(`There is no readable file at ${path}.`);
  });
  try {
    const comparison = new SavedHeadsComparison(saved);
    const verdict = await checkExport(textLines(file), (place, workspaceId) => comparison.visit(place, workspaceId));
    const problemText =
      verdict.problem ?? wrongKey(verdict.end.publicKey, expectedKey) ?? comparison.problemText(verdict.end.publicKey);
    if (problemText !== undefined) {
      console.error(`${path}: ${problemText}.`);
      return 1;
    }
    if (verdict.problem === undefined) console.out(wholeFile(verdict));
    if (saved !== undefined)
      console.out(`${comparison.compared} of the stored heads are in this part of the chain and match.`);
    return 0;
  } finally {
    await file.close();
  }
}

class SavedHeadsComparison {
  private positions: TrustedHeadCheck | undefined;
  private problem: string | undefined;

  constructor(private readonly saved: TrustedHeads | undefined) {}

  visit(place: ChainPlace, workspaceId: string): void {
    this.positions ??= this.saved?.checkFor(workspaceId);
    this.problem ??= this.positions?.visit(place, { before: `event ${place.count}` });
  }

  problemText(publicKey: string): string | undefined {
    this.saved?.mustBeSignedWith(publicKey);
    return this.problem;
  }

  get compared(): number {
    return this.positions?.compared ?? 0;
  }
}

function wrongKey(publicKey: string, expected: string | undefined): string | undefined {
  const fingerprint = fingerprintOf(publicKey);
  if (expected === undefined || expected === fingerprint) return undefined;
  return `It is signed with the key ${fingerprint} instead of ${expected}`;
}

function wholeFile({ header, end }: Extract<ExportVerdict, { problem: undefined }>): string {
  const { workspaceId, start } = header;
  const events = end.count === start.count ? 'no events' : `events ${start.count + 1} to ${end.count}`;
  return `Workspace ${workspaceId}: ${events}, unchanged since they were signed on ${end.signedAt}, head ${end.head}, by the key with the fingerprint ${fingerprintOf(end.publicKey)}.`;
}

async function verifyStores({ flags, environment, console }: Invocation): Promise<number> {
  const saved = savedHeads(flags) ?? new TrustedHeads([]);
  return withStores(environment, async (app) => {
    const verdicts = await app.get(AuditVerification).verify(saved);
    for (const verdict of verdicts) {
      if (verdict.problem === undefined) console.out(summaryOf(verdict));
      else console.error(`Workspace ${verdict.workspaceId}: ${verdict.problem}.`);
    }
    const { publicKey } = app.get(SealKey).signing;
    console.out(`The signing key has the fingerprint ${fingerprintOf(publicKey)}.`);
    return verdicts.some(({ problem }) => problem !== undefined) ? 1 : 0;
  });
}

export async function printHeads({ flags, environment, console }: Invocation): Promise<number> {
  return withStores(environment, async (app) => {
    const workspaceId = optional(flags, 'workspace');
    for await (const head of app.get(LastHeads).of(workspaceId)) console.out(JSON.stringify(head));
    return 0;
  });
}

function summaryOf({ workspaceId, count, seals, head, unsealed, unsealedSince }: Verdict): string {
  if (seals === 0) {
    return `${workspaceId}: ${count} events without a seal to compare them with, head ${head}; the events since ${unsealedSince} are not sealed yet; they are sealed within a minute`;
  }
  const rest = unsealed === 0 ? '' : `; the last ${unsealed}, since ${unsealedSince}, are not sealed yet`;
  return `${workspaceId}: ${count} events and ${seals} seals are unchanged, head ${head}${rest}`;
}

function savedHeads(flags: Invocation['flags']): TrustedHeads | undefined {
  const path = optional(flags, 'heads');
  return path === undefined ? undefined : new TrustedHeads(linesOf(path));
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    throw new Error(`${path} cannot be read; --heads requires a file of heads, as printed by audit:heads.`);
  }
}

async function withStores(
  environment: Invocation['environment'],
  work: (app: NestFastifyApplication) => Promise<number>,
): Promise<number> {
  const settings = readEnvironment(environment);
  if (settings.eventStore.kind === 'embedded') mustHoldData(settings.dataDir);
  if (masterKeyCheck(settings) === undefined) {
    throw new Error('There is no master key here: set MASTER_KEY to that of the installation, and try again.');
  }
  const app = await assemble(environment, false);
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}
