import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Json } from '../../../kernel/json/json.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { Through } from '../../entrance/door.js';
import { problemOf } from '../../problem.js';
import { FormDoor } from '../form-doors.js';
import { goTo, sendPage } from '../layout.js';
import type { PageRequest } from '../page-request.js';
import { PersonsCalls } from '../persons-calls.js';
import { type SignedInMember, SignedInPages } from '../signed-in.js';
import { ApprovalsReading } from './approvals-reading.js';
import { cardPage } from './card-page.js';
import { decidedPage } from './decided-page.js';
import { inboxPage } from './inbox-page.js';

const inbox = '/approvals';
const pathOf = (id: string) => `${inbox}/${encodeURIComponent(id)}`;

type CardAnswer = { readonly pendingChange?: { readonly id: string } };

/** GET requests change nothing. */
@Controller('approvals')
export class ApprovalPagesController {
  constructor(
    private readonly pages: SignedInPages,
    private readonly reading: ApprovalsReading,
    private readonly calls: PersonsCalls,
  ) {}

  @Get()
  async inbox(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    const signedIn = await this.pages.page(request, reply, inbox);
    if (signedIn === undefined) return;
    if (request.query['show'] === 'decided') await this.showDecided(request, reply, signedIn);
    else await this.showInbox(request, reply, signedIn);
  }

  @Get(':id')
  async card(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    const signedIn = await this.pages.page(request, reply, pathOf(request.params.id));
    if (signedIn !== undefined) await this.showCard(request, reply, signedIn);
  }

  /**
   * Browsers send this GET request if the response to a form is reloaded. It is redirected to the page of the pending
   * change.
   */
  @Get(':id/:choice')
  async again(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    const path = pathOf(request.params.id);
    const signedIn = await this.pages.page(request, reply, path);
    if (signedIn !== undefined) goTo(reply, signedIn.frame, `${path}${new URL(request.url, 'http://here').search}`);
  }

  @Post(':id/approve')
  @Through(FormDoor)
  async approve(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.decide(request, reply, 'approvals/approvePendingChange', (fields) => ({
      hash: fields.get('hash') ?? '',
    }));
  }

  @Post(':id/reject')
  @Through(FormDoor)
  async reject(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.decide(request, reply, 'approvals/rejectPendingChange', (fields) => {
      // Browsers send line breaks as CR LF.
      const reason = fields.get('reason')?.replaceAll('\r\n', '\n').trim();
      return reason ? { reason } : {};
    });
  }

  @Post(':id/ask-again')
  @Through(FormDoor)
  async askAgain(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    const { id } = request.params;
    const form = await this.pages.form(request, reply, pathOf(id));
    if (form === undefined) return;
    try {
      const asked = await this.calls.call<CardAnswer>(form.session.caller, 'approvals/askAgain', { id });
      goTo(reply, form.frame, pathOf(asked.body.pendingChange?.id ?? id));
    } catch (error) {
      await this.showCard(request, reply, form, refusalOf(error));
    }
  }

  @Post('notices/:id/undo')
  @Through(FormDoor)
  async undo(@Req() request: PageRequest, @Res() reply: FastifyReply): Promise<void> {
    const form = await this.pages.form(request, reply, inbox);
    if (form === undefined) return;
    try {
      await this.calls.call(form.session.caller, 'approvals/undoNotice', { id: request.params.id });
      goTo(reply, form.frame, inbox);
    } catch (error) {
      await this.showInbox(request, reply, form, refusalOf(error));
    }
  }

  private async decide(
    request: PageRequest,
    reply: FastifyReply,
    operation: string,
    inputOf: (fields: URLSearchParams) => object,
  ): Promise<void> {
    const { id } = request.params;
    const form = await this.pages.form(request, reply, pathOf(id));
    if (form === undefined) return;
    try {
      await this.calls.call(form.session.caller, operation, { id, ...inputOf(form.fields) });
      goTo(reply, form.frame, pathOf(id));
    } catch (error) {
      await this.showCard(request, reply, form, refusalOf(error));
    }
  }

  private async showInbox(request: PageRequest, reply: FastifyReply, { frame, session }: SignedInMember, no?: Refusal) {
    const shown = await this.reading.inbox(session.caller, no === undefined ? beforeOf(request) : undefined);
    const wrong = no === undefined ? {} : { wrong: no.message };
    sendPage(reply, statusOf(request, no), frame, inboxPage(frame, session, { ...shown, ...wrong }));
  }

  private async showDecided(request: PageRequest, reply: FastifyReply, { frame, session }: SignedInMember) {
    sendPage(reply, 200, frame, decidedPage(frame, await this.reading.decided(session.caller, beforeOf(request))));
  }

  private async showCard(request: PageRequest, reply: FastifyReply, { frame, session }: SignedInMember, no?: Refusal) {
    const shown = await this.reading.card(session.caller, request.params.id);
    const whole = request.query['lines'] === 'all';
    const wrong = no === undefined ? {} : { wrong: no.message, ...currentValuesIn(no) };
    sendPage(reply, statusOf(request, no), frame, cardPage(frame, session, { ...shown, whole, ...wrong }));
  }
}

function beforeOf({ query: { before } }: PageRequest): string | undefined {
  return before === undefined ? undefined : String(before);
}

const statusOf = ({ id }: PageRequest, no: Refusal | undefined) => (no === undefined ? 200 : problemOf(no, id).status);

function refusalOf(error: unknown): Refusal {
  if (!(error instanceof Refusal) || error.kind === 'unavailable') throw error;
  return error;
}

function currentValuesIn({ facts }: Refusal): { readonly current?: Readonly<Record<string, Json>> | null } {
  const { standing: current } = (facts.details ?? {}) as { standing?: Readonly<Record<string, Json>> | null };
  return current === undefined ? {} : { current };
}
