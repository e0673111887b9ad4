import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RightsDecisions } from '../../engine/explain/rights-decisions.js';
import { findOperation } from '../../engine/operation/operation.js';
import type { Caller } from '../../kernel/callers/caller.js';
import { mustUse } from '../allowed-methods.js';
import { Callers } from '../entrance/callers.js';
import { type Admission, Door } from '../entrance/door.js';
import { refuse } from '../http.refusals.js';
import { PageSessions } from '../pages/page-sessions.js';

/** The stream is open to those who may use this operation. */
export const cardList = 'approvals/listPendingChanges';

interface Follower extends Admission {
  readonly caller: Caller;
}

@Injectable()
export class StreamDoor extends Door<Follower> {
  constructor(
    private readonly sessions: PageSessions,
    private readonly callers: Callers,
    private readonly decisions: RightsDecisions,
  ) {
    super();
  }

  /** @throws Refusal if the caller may no longer follow the stream */
  async still(request: FastifyRequest): Promise<Caller> {
    const { authorization, cookie } = request.headers;
    const caller =
      authorization === undefined ? (await this.sessions.find(cookie))?.caller : await this.callers.still(request);
    return this.mayFollow(caller ?? refuse('key-missing'));
  }

  protected override async judge(request: FastifyRequest): Promise<Follower> {
    mustUse(request, 'GET');
    const { headers } = request;
    if (headers.authorization !== undefined) return followed(this.mayFollow(await this.callers.callerOf(request)));
    const caller = await this.still(request);
    this.callers.mayCall(caller);
    return followed(caller);
  }

  private mayFollow(caller: Caller): Caller {
    this.decisions.authorise(
      findOperation(cardList) ?? refuse('unknown-operation', { path: `/api/v1/${cardList}` }),
      caller,
    );
    return caller;
  }
}

const followed = (caller: Caller): Follower => ({
  caller,
  share: { of: 'caller', name: caller.workspaceId },
  limit: 0,
});
