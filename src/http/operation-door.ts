import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { findOperation } from '../engine/operation/operation.js';
import { Pipeline } from '../engine/pipeline/pipeline.js';
import type { Caller } from '../kernel/callers/caller.js';
import { mustUse } from './allowed-methods.js';
import { bodyLimit, largeBodyLimit } from './body.js';
import { Callers } from './entrance/callers.js';
import { type Admission, Door } from './entrance/door.js';
import { headerOf } from './header-of.js';

interface Call extends Admission {
  readonly operation: string;
  readonly caller: Caller;
}

/** The door to the operations: checks method, path, key, rights and media type, in this order. */
@Injectable()
export class OperationDoor extends Door<Call> {
  override readonly takesTrials = true;

  constructor(
    private readonly pipeline: Pipeline,
    private readonly callers: Callers,
  ) {
    super();
  }

  protected override async judge(request: FastifyRequest): Promise<Call> {
    mustUse(request, 'POST');
    const { headers } = request;
    const params = request.params as { readonly area: string; readonly operation: string };
    const operation = `${params.area}/${params.operation}`;
    const arrival = { operation, contentType: headers['content-type'], dryRun: headerOf(request, 'x-dry-run') };
    const caller = await this.pipeline.admit(arrival, () => this.callers.of(request));
    const limit = findOperation(operation)?.body === 'large' ? largeBodyLimit : bodyLimit;
    return { operation, caller, share: { of: 'caller', name: caller.workspaceId }, limit };
  }
}
