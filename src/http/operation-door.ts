import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Admitted, Pipeline } from '../engine/pipeline/pipeline.js';
import { mustUse } from './allowed-methods.js';
import { bodyLimit, largeBodyLimit } from './body.js';
import { Callers } from './entrance/callers.js';
import { type Admission, Door } from './entrance/door.js';
import { headerOf } from './header-of.js';

interface Call extends Admission {
  readonly admitted: Admitted;
}

/** Checks the method, path, key, permissions and media type, in this order. */
@Injectable()
export class OperationDoor extends Door<Call> {
  override readonly takesDryRuns = true;

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
    const name = `${params.area}/${params.operation}`;
    const arrival = { operation: name, contentType: headers['content-type'], dryRun: headerOf(request, 'x-dry-run') };
    const admitted = await this.pipeline.admit(arrival, () => this.callers.callerOf(request));
    const { operation, caller } = admitted;
    const limit = operation.body === 'large' ? largeBodyLimit : bodyLimit;
    return { admitted, share: { of: 'caller', name: caller.workspaceId }, limit };
  }
}
