import { All, Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CardFeed } from '../../areas/approvals/pending-change/card-feed.api.js';
import { Calls } from '../../engine/operation/calls.js';
import { PersonalData } from '../../engine/personal-data/personal-data.js';
import { RecordScopes } from '../../engine/scopes/record-scopes.js';
import type { Caller } from '../../kernel/callers/caller.js';
import { mayHoldSealed } from '../../kernel/event/personal-data.js';
import { Clock } from '../../ports/clock.port.js';
import { EventStore } from '../../ports/event-store.port.js';
import { Through } from '../entrance/door.js';
import { refuse } from '../http.refusals.js';
import { EventStream } from './event-stream.js';
import { OpenStreams } from './open-streams.js';
import { cardList, StreamDoor } from './stream-door.js';

/** The key or session is checked at this interval, in milliseconds. */
const lookEveryMs = 1_000;

/** Returns undefined if the caller may no longer follow the stream. */
type FindFollower = () => Promise<Caller | undefined>;

@Controller('api/v1/approvals/stream')
export class ApprovalsStreamController {
  constructor(
    private readonly door: StreamDoor,
    private readonly feed: CardFeed,
    private readonly streams: OpenStreams,
    private readonly events: EventStore,
    private readonly clock: Clock,
    private readonly personal: PersonalData,
    private readonly calls: Calls,
    private readonly scopes: RecordScopes,
  ) {}

  @All()
  @Through(StreamDoor)
  async open(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { caller } = this.door.admittedOf(request);
    const after = await this.positionOf(request.headers['last-event-id']);
    this.streams.mustHaveRoom(caller);
    reply.hijack();
    const stream = new EventStream(reply.raw, this.clock, reply.getHeaders() as Record<string, string>);
    this.streams.add(stream, caller);
    const findFollower = () => this.followerOf(request, caller.workspaceId);
    this.watch(stream, findFollower);
    await this.sendChanges(stream, caller.workspaceId, after, findFollower);
  }

  private async sendChanges(stream: EventStream, workspaceId: string, after: number, findFollower: FindFollower) {
    try {
      await stream.position(after);
      for await (const { position, type, target, card } of this.feed.follow(workspaceId, after, stream.closed)) {
        const caller = await findFollower();
        if (caller === undefined) return;
        // Agents may see only some cards: those that the list of pending changes would show them now.
        if (!(await this.scopes.judge(this.calls.by(caller, cardList))(target))) continue;
        await stream.event(position, type, await this.toBeRead(workspaceId, card));
      }
    } finally {
      // Reached when the client disconnects, the permission is lost, or a store is unavailable. Clients reconnect with
      // the id of the last event and miss nothing.
      stream.end();
    }
  }

  /**
   * The feed's memory contains cards (pending changes) with encrypted personal data, which is decrypted for each
   * receiver.
   */
  private async toBeRead(workspaceId: string, card: string): Promise<string> {
    if (!mayHoldSealed(card)) return card;
    return JSON.stringify(await this.personal.opened(workspaceId, JSON.parse(card)));
  }

  private async watch(stream: EventStream, findFollower: FindFollower): Promise<void> {
    while (!stream.closed.aborted) {
      await new Promise<void>((resolve) => this.clock.after(lookEveryMs, resolve));
      if (await findFollower()) await stream.keepAlive();
      else stream.end();
    }
  }

  private async followerOf(request: FastifyRequest, workspaceId: string): Promise<Caller | undefined> {
    const caller = await this.door.still(request).catch(() => undefined);
    return caller?.workspaceId === workspaceId ? caller : undefined;
  }

  /**
   * Without an id, the stream begins at the end of the log. An id beyond the end is refused, because it cannot be the
   * position of an event in this log.
   * @throws Refusal last-event-id-invalid
   */
  private async positionOf(id: string | string[] | undefined): Promise<number> {
    const head = await this.events.head();
    if (id === undefined || id === '') return head;
    const position = /^\d{1,16}$/.test(String(id)) ? Number(id) : Number.NaN;
    if (!(position <= head)) refuse('last-event-id-invalid');
    return position;
  }
}
