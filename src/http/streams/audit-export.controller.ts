import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { All, type BeforeApplicationShutdown, Controller, Logger, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuditReading } from '../../areas/audit/reading/audit-reading.api.js';
import { AuditExport, type ExportWish, NotAsSealed } from '../../areas/audit/seal/audit-export.api.js';
import { Calls } from '../../engine/operation/calls.js';
import type { Caller } from '../../kernel/callers/caller.js';
import { instantOf } from '../../kernel/condition/instant.js';
import { refuseInput } from '../../kernel/field/refuse-input.js';
import { reasonOf } from '../../kernel/reason.js';
import { Through } from '../entrance/door.js';
import { refuse } from '../http.refusals.js';
import { AuditExportDoor } from './audit-export-door.js';

/** A client that reads nothing for this time, in milliseconds, is disconnected. */
const patienceMs = 20_000;
const pieceLength = 64 * 1_024;
const most = { ofAWorkspace: 2, inAll: 20 };

type ExportRequest = FastifyRequest<{ Querystring: Readonly<Record<string, string | string[]>> }>;

/** NDJSON that can be verified offline. Events are read from the log only as fast as the client reads. */
@Controller('api/v1/audit/export')
export class AuditExportController implements BeforeApplicationShutdown {
  private readonly log = new Logger('Audit');
  private readonly running = new Map<AbortController, string>();

  constructor(
    private readonly door: AuditExportDoor,
    private readonly calls: Calls,
    private readonly reading: AuditReading,
    private readonly exports: AuditExport,
  ) {}

  beforeApplicationShutdown(): void {
    for (const stop of this.running.keys()) stop.abort();
  }

  @All()
  @Through(AuditExportDoor)
  async send(@Req() request: ExportRequest, @Res() reply: FastifyReply): Promise<void> {
    const { caller } = this.door.admittedOf(request);
    const wish = wishOf(caller, request.query);
    const stop = this.begin(wish.workspaceId);
    try {
      await this.reading.record(this.calls.by(caller, 'audit/export'), {
        from: wish.from ?? null,
        to: wish.to ?? null,
        ...(wish.after === undefined ? {} : { after: wish.after }),
      });
      await this.write(this.exports.lines(wish), reply, stop.signal);
    } finally {
      this.running.delete(stop);
    }
  }

  private begin(workspaceId: string): AbortController {
    const own = [...this.running.values()].filter((other) => other === workspaceId).length;
    if (own >= most.ofAWorkspace || this.running.size >= most.inAll) {
      refuse('audit-exports-taken', undefined, { retryAfterSeconds: 10 });
    }
    const stop = new AbortController();
    this.running.set(stop, workspaceId);
    return stop;
  }

  /**
   * If the export fails before the first line, the response is an error. If it fails later, the last line is missing,
   * so the file is recognisably incomplete.
   */
  private async write(lines: AsyncGenerator<string>, reply: FastifyReply, signal: AbortSignal): Promise<void> {
    const first = await lines.next().catch((error: unknown) => {
      if (error instanceof NotAsSealed) refuse('audit-not-as-sealed', { why: error.message });
      throw error;
    });
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'Content-Type': 'application/x-ndjson',
      'Content-Disposition': 'attachment; filename="audit.ndjson"',
      'Cache-Control': 'no-store',
    });
    raw.setTimeout(patienceMs, () => raw.destroy());
    try {
      await pipeline(Readable.from(ended(first.value ?? '', lines)), raw, { signal });
    } catch (error) {
      raw.destroy();
      this.log.warn(`An export of the audit was interrupted: ${reasonOf(error)}`);
    }
  }
}

/** Writing a chunk takes as much time as checking a hundred lines, so lines are joined into larger chunks. */
async function* ended(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  let piece = `${first}\n`;
  for await (const line of rest) {
    piece += `${line}\n`;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

const parameters = ['from', 'to', 'after'];

function wishOf({ workspaceId }: Caller, query: ExportRequest['query']): ExportWish {
  const unknown = Object.keys(query).filter((name) => !parameters.includes(name));
  if (unknown.length > 0) refuseInput(unknown.map((path) => ({ path, message: 'is not a parameter of the export' })));
  const [from, to] = [timeOf('from', query['from']), timeOf('to', query['to'])];
  if (from !== undefined && to !== undefined && from > to) {
    refuseInput([{ path: 'to', message: 'must not be before from' }]);
  }
  return { workspaceId, from, to, after: numberOf('after', query['after']) };
}

function numberOf(path: string, text: string | string[] | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  return number ?? refuseInput([{ path, message: 'must be the number of an event in the export' }]);
}

function timeOf(path: string, text: string | string[] | undefined): string | undefined {
  if (text === undefined) return undefined;
  const instant = typeof text === 'string' ? instantOf(text) : undefined;
  if (instant === undefined) return refuseInput([{ path, message: 'must be an ISO 8601 date or date-time' }]);
  return new Date(instant).toISOString();
}
