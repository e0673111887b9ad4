import { All, Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CardFeed } from '../areas/approvals/pending-change/card-feed.js';
import { authorise } from '../engine/authorisation.js';
import { findOperation } from '../engine/operation/operation.js';
import { Pipeline } from '../engine/pipeline.js';
import type { Caller } from '../kernel/caller.js';
import { refuse } from '../kernel/refusal.js';
import { Clock } from '../ports/clock.port.js';
import { EventStore } from '../ports/event-store.port.js';
import { PageSessions } from './approval-pages/page-sessions.js';
import { EventStream } from './event-stream.js';
import { OpenStreams } from './open-streams.js';

const list = 'approvals/listPendingChanges';
/** A key that is revoked, and a session that has ended, hear of nothing more after so long. */
const lookEveryMs = 1_000;

/** What becomes of the workspace's cards, as it happens; open to whoever may list them. */
@Controller('api/v1/approvals/stream')
export class ApprovalsStreamController {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly sessions: PageSessions,
    private readonly feed: CardFeed,
    private readonly streams: OpenStreams,
    private readonly events: EventStore,
    private readonly clock: Clock,
  ) {}

  @All()
  async open(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { method, headers } = request;
    if (method !== 'GET') refuse('method-not-allowed', { method, allow: 'GET' }, { allow: 'GET' });
    const { workspaceId } = await this.callerOf(request);
    const after = await this.positionOf(headers['last-event-id']);
    this.streams.mustHaveRoom(workspaceId);
    reply.hijack();
    const stream = new EventStream(reply.raw, this.clock, reply.getHeaders() as Record<string, string>);
    this.streams.add(stream, workspaceId);
    this.watch(stream, request, workspaceId);
    await this.tell(stream, workspaceId, after);
  }

  private async tell(stream: EventStream, workspaceId: string, after: number): Promise<void> {
    try {
      await stream.position(after);
      for await (const { position, type, card } of this.feed.follow(workspaceId, after, stream.closed)) {
        await stream.event(position, type, card);
      }
    } finally {
      // A store is away: whoever comes again with the last id has missed nothing.
      stream.end();
    }
  }

  /** Who may no longer follow is told no more. */
  private async watch(stream: EventStream, request: FastifyRequest, workspaceId: string): Promise<void> {
    while (!stream.closed.aborted) {
      await new Promise<void>((resolve) => this.clock.after(lookEveryMs, resolve));
      const caller = await this.callerOf(request).catch(() => undefined);
      if (caller?.workspaceId === workspaceId) await stream.keepAlive();
      else stream.end();
    }
  }

  private async callerOf({ headers }: FastifyRequest): Promise<Caller> {
    const operation = findOperation(list) ?? refuse('unknown-operation', { path: `/api/v1/${list}` });
    const caller =
      headers.authorization === undefined
        ? ((await this.sessions.find(headers.cookie))?.caller ?? refuse('key-missing'))
        : await this.pipeline.callerOf(headers.authorization);
    authorise(operation, caller);
    return caller;
  }

  /** Without an id, what happens from now on. An id of the future is of another log. */
  private async positionOf(id: string | string[] | undefined): Promise<number> {
    const head = await this.events.head();
    if (id === undefined || id === '') return head;
    const position = /^\d{1,16}$/.test(String(id)) ? Number(id) : Number.NaN;
    if (!(position <= head)) refuse('last-event-id-invalid');
    return position;
  }
}
