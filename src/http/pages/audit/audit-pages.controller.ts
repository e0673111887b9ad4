import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { kindsSeen } from '../../../areas/audit/audit-visibility.api.js';
import type { ExplainedDecision } from '../../../areas/audit/decision/explained-decision.api.js';
import type { EffectRecord } from '../../../areas/audit/reading/audit-answers.api.js';
import { whyNeverUndone } from '../../../areas/audit/undo/undone-again.api.js';
import type { Caller } from '../../../kernel/callers/caller.js';
import type { Difference } from '../../../kernel/record/difference.js';
import { recordCategories } from '../../../kernel/record/record.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Through } from '../../entrance/door.js';
import { refuse } from '../../http.refusals.js';
import { problemOf } from '../../problem.js';
import { FormDoor } from '../form-doors.js';
import { goTo, sendPage } from '../layout.js';
import type { PageRequest } from '../page-request.js';
import { PersonsCalls } from '../persons-calls.js';
import { type SignedInMember, SignedInPages } from '../signed-in.js';
import { auditPath, type ShownEvent } from './audit-words.js';
import { decisionPage } from './decision-page.js';
import { type EventView, eventPage, type Graph, nodePage } from './event-page.js';
import { exportPage, noExportPage, type Seal } from './export-page.js';
import { type ResourceView, resourcePage } from './resource-page.js';
import { type Filters, timelinePage } from './timeline-page.js';
import { undoPage } from './undo-page.js';

const eventsAtOnce = 50;
const versionsAtOnce = 100;
const effectsAtOnce = 200;

interface Events {
  readonly events: readonly ShownEvent[];
  readonly next: number | null;
}

/** All routes only read, except the one that undoes a change. */
@Controller('audit')
export class AuditPagesController {
  constructor(
    private readonly pages: SignedInPages,
    private readonly calls: PersonsCalls,
  ) {}

  @Get()
  async timeline(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    const signedIn = await this.signedIn(request, reply);
    if (signedIn === undefined) return;
    const { caller } = signedIn.session;
    const filters = filtersOf(request);
    const seen = kindsSeen(caller);
    const shown = {
      filters,
      kinds: [...(seen === 'all' ? recordCategories() : seen)].sort(),
      mayExport: await this.may(caller, 'audit/getSeal'),
    };
    const before = numberIn(request, 'before');
    const asked = { ...askedOf(filters), limit: eventsAtOnce, ...(before === undefined ? {} : { before }) };
    const found = await this.orRefusal(() => this.ask<Events>(caller, 'audit/listEvents', asked));
    const page = found instanceof Refusal ? { events: [], next: null, wrong: found.message } : found;
    sendPage(reply, statusOf(request, found), signedIn.frame, timelinePage(signedIn.frame, { ...shown, ...page }));
  }

  @Get('export')
  async exporting(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    const signedIn = await this.signedIn(request, reply);
    if (signedIn === undefined) return;
    const seal = await this.orRefusal(() => this.ask<Seal>(signedIn.session.caller, 'audit/getSeal', {}));
    if (seal instanceof Refusal)
      return sendPage(reply, statusOf(request, seal), signedIn.frame, noExportPage(signedIn.frame, seal.message));
    sendPage(reply, 200, signedIn.frame, exportPage(signedIn.frame, seal));
  }

  @Get('decision')
  async decision(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    const signedIn = await this.signedIn(request, reply);
    if (signedIn === undefined) return;
    const id = textIn(request, 'decision').trim();
    if (id === '') return goTo(reply, signedIn.frame, '/audit');
    const found = await this.ask<ExplainedDecision>(signedIn.session.caller, 'workspace/explainDecision', { id });
    sendPage(reply, 200, signedIn.frame, decisionPage(signedIn.frame, found));
  }

  @Get('events/:id')
  async event(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    const signedIn = await this.signedIn(request, reply);
    if (signedIn !== undefined) await this.showEvent(request, reply, signedIn);
  }

  /** Makes only a dry run of the undo. If it is refused, the event is shown with the reason. */
  @Get('events/:id/undo')
  async askToUndo(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    const signedIn = await this.signedIn(request, reply);
    if (signedIn === undefined) return;
    const { frame, session } = signedIn;
    const position = positionOf(request);
    const event = await this.ask<ShownEvent>(session.caller, 'audit/getEvent', { position });
    const tried = await this.orRefusal(() => this.calls.attempt(session.caller, 'audit/undoChange', { position }));
    if (tried instanceof Refusal) return this.showEvent(request, reply, signedIn, tried);
    sendPage(reply, 200, frame, undoPage(frame, session, event, tried));
  }

  @Post('events/:id/undo')
  @Through(FormDoor)
  async undo(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    const own = auditPath('', 'events', request.params.id);
    const form = await this.pages.form(request, reply, own);
    if (form === undefined) return;
    const position = positionOf(request);
    const { caller } = form.session;
    const done = await this.orRefusal(() =>
      this.ask<{ readonly position: number | null; readonly waits?: readonly object[] }>(caller, 'audit/undoChange', {
        position,
      }),
    );
    if (done instanceof Refusal) return this.showEvent(request, reply, form, done);
    const waiting = done.waits === undefined ? '' : `?waiting=${done.waits.length}`;
    goTo(
      reply,
      form.frame,
      done.position === null ? '/approvals' : `${auditPath('', 'events', done.position)}${waiting}`,
    );
  }

  @Get('nodes/:kind/:id')
  async node(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    const signedIn = await this.signedIn(request, reply);
    if (signedIn === undefined) return;
    const { kind = '', id } = request.params as { readonly kind?: string; readonly id: string };
    const graph = await this.graph(signedIn.session.caller, kind === 'run' ? { runId: id } : { eventId: id }, id);
    sendPage(reply, 200, signedIn.frame, nodePage(signedIn.frame, kind, graph));
  }

  @Get('resources/:kind/:id')
  async resource(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    const signedIn = await this.signedIn(request, reply);
    if (signedIn === undefined) return;
    const { frame, session } = signedIn;
    const { kind = '', id } = request.params as { readonly kind?: string; readonly id: string };
    const after = numberIn(request, 'after');
    const history = await this.ask<Events>(session.caller, 'audit/getHistory', {
      kind,
      id,
      limit: versionsAtOnce,
      ...(after === undefined ? {} : { after }),
    });
    const { events, next } = history;
    const version = Math.min(Math.max(numberIn(request, 'version') ?? events.length, 1), Math.max(events.length, 1));
    const state = await this.stateAt(session.caller, kind, id, events[version - 1]);
    const compared = await this.compared(request, session.caller, kind, id);
    const view: ResourceView = { kind, id, events, next, after, version, state, ...compared };
    sendPage(reply, 200, frame, resourcePage(frame, view));
  }

  /** Returns null if there is no such event, or if the resource did not exist at that time. */
  private async stateAt(
    caller: Caller,
    kind: string,
    id: string,
    event: ShownEvent | undefined,
  ): Promise<object | null> {
    if (event === undefined) return null;
    const input = { kind, id, position: event.position };
    return (await this.ask<{ readonly state: object | null }>(caller, 'audit/getStateAt', input)).state;
  }

  private async compared(
    request: PageRequest,
    caller: Caller,
    kind: string,
    id: string,
  ): Promise<Pick<ResourceView, 'compared' | 'wrong'>> {
    const [from, to] = [numberIn(request, 'from'), numberIn(request, 'to')];
    if (from === undefined || to === undefined) return {};
    const found = await this.orRefusal(() =>
      this.ask<{ readonly changes: readonly Difference[] }>(caller, 'audit/diffStates', { kind, id, from, to }),
    );
    if (found instanceof Refusal) return { wrong: found.message };
    const { searchParams } = new URL(request.url, 'http://here');
    searchParams.set('lines', 'all');
    const shown = { whole: textIn(request, 'lines') === 'all', everyLine: `?${searchParams}` };
    return { compared: { from, to, changes: found.changes, ...shown } };
  }

  private async showEvent(request: PageRequest, reply: FastifyReply, { frame, session }: SignedInMember, no?: Refusal) {
    const { caller } = session;
    const event = await this.ask<EventView['event']>(caller, 'audit/getEvent', { position: positionOf(request) });
    const graph = await this.graph(caller, { eventId: event.id }, event.id);
    const conflicts = (no?.facts.details as { readonly conflicts?: unknown } | undefined)?.conflicts;
    const mayUndo = recordCategories().includes(event.resource.kind) && (await this.may(caller, 'audit/undoChange'));
    const neverUndone = whyNeverUndone(event.resource.kind);
    const waiting = numberIn(request, 'waiting');
    const view: EventView = { event, graph, mayUndo, neverUndone, waiting, wrong: no?.message, conflicts };
    sendPage(reply, statusOf(request, no), frame, eventPage(frame, view));
  }

  private async graph(caller: Caller, about: object, id: string): Promise<Graph> {
    const up = await this.ask<{ readonly causes: readonly EffectRecord[]; readonly cut: boolean }>(
      caller,
      'audit/causesOf',
      about,
    );
    const down = await this.ask<{ readonly effects: readonly EffectRecord[]; readonly cut: boolean }>(
      caller,
      'audit/effectsOf',
      { ...about, limit: effectsAtOnce },
    );
    return { id, causes: up.causes, effects: down.effects, cut: up.cut || down.cut };
  }

  private signedIn(request: PageRequest, reply: FastifyReply): Promise<SignedInMember | undefined> {
    const { pathname, search } = new URL(request.url, 'http://here');
    return this.pages.page(request, reply, `${pathname}${search}`);
  }

  private async ask<Body>(caller: Caller, operation: string, input: object): Promise<Body> {
    return (await this.calls.call<Body>(caller, operation, input)).body;
  }

  private async may(caller: Caller, operation: string): Promise<boolean> {
    return (await this.calls.whyNot(caller, operation)) === undefined;
  }

  /**
   * Returns a refusal instead of throwing it, except refusals of the kinds `unavailable` and `not-found`, for which a
   * whole error page is shown.
   */
  private async orRefusal<T>(work: () => Promise<T>): Promise<T | Refusal> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Refusal && error.kind !== 'unavailable' && error.kind !== 'not-found') return error;
      throw error;
    }
  }
}

const statusOf = ({ id }: PageRequest, found: unknown) =>
  found instanceof Refusal ? problemOf(found, id).status : 200;

function textIn({ query }: PageRequest, name: string): string {
  const value = query[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

function numberIn(request: PageRequest, name: string): number | undefined {
  const text = textIn(request, name);
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function positionOf({ params }: PageRequest): number {
  return /^\d{1,15}$/.test(params.id) ? Number(params.id) : refuse('resource-not-found');
}

function filtersOf(request: PageRequest): Filters {
  const [kind, id, actorId, type, from, to] = (['kind', 'id', 'actorId', 'type', 'from', 'to'] as const).map((name) =>
    textIn(request, name).trim(),
  );
  return { kind: kind ?? '', id: id ?? '', actorId: actorId ?? '', type: type ?? '', from: from ?? '', to: to ?? '' };
}

/** Browsers send times without a time zone, which are treated as UTC. */
function askedOf({ type, from, to, ...rest }: Filters): object {
  const utc = (time: string) => (/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(time) ? `${time}Z` : time);
  const all = { ...rest, from: utc(from), to: utc(to) };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
  return type === '' ? given : { ...given, types: [type] };
}
