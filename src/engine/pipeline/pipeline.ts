import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { Caller } from '../../kernel/callers/caller.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { AskFirst } from '../approvals/ask-first.js';
import { mayNeedApproval } from '../approvals/asked-operation.js';
import { checksQuotaFirst } from '../authorisation/authorisation.js';
import { DryRun } from '../dry-run/dry-run.js';
import { isDryRun } from '../dry-run/dry-run-header.js';
import { ShownEvents } from '../dry-run/shown-events.js';
import { RightsDecisions } from '../explain/rights-decisions.js';
import { Metrics } from '../health/metrics.js';
import { Calls } from '../operation/calls.js';
import { jsonBody } from '../operation/json-body.js';
import { findOperation, type RegisteredOperation } from '../operation/operation.js';
import { bindContext, type OperationContext } from '../operation/operation-context.js';
import { PendingApproval } from '../operation/pending-approval.js';
import { withoutShownOnce } from '../operation/shown-once.js';
import { takenReason } from '../operation/stated-reason.js';
import { inputOf } from '../operation/validation.js';
import { PersonalData } from '../personal-data/personal-data.js';
import { RecordingQuota } from '../quotas/recording-quota.js';
import { Freshness } from '../read-models/freshness.js';
import { ReadYourWrites } from '../read-models/read-your-writes.js';
import { refuse } from '../refusals/engine.refusals.js';
import { Scopes } from '../scopes/scopes.js';
import { trialAnswer } from './dry-run-answer.js';
import { IdempotencyStore } from './idempotency-store.js';

/** The fields of a call that arrive before its body, not validated yet. */
export interface Arrival {
  readonly operation: string;
  readonly contentType: string | undefined;
  readonly dryRun: string | undefined;
}

/** Proves that the caller is authenticated and may use the operation. Only `Pipeline.admit` creates an instance. */
class Admitted {
  protected readonly isJudged = true;

  constructor(
    readonly operation: RegisteredOperation,
    readonly caller: Caller,
  ) {}
}

export type { Admitted };

export interface Request extends Pick<OperationContext, 'stop'> {
  readonly idempotencyKey: string | undefined;
  readonly body: Uint8Array;
  readonly dryRun?: string | undefined;
}

export interface Answer {
  readonly body: unknown;
  readonly waiting: boolean;
  /** If true, the response can lack recent events. */
  readonly behind: boolean;
  /** For a query: seconds since the read models last included the whole log, or 0 if fewer than 5. For a command: 0. */
  readonly ageSeconds: number;
  readonly repeated: boolean;
}

@Injectable()
export class Pipeline {
  constructor(
    private readonly calls: Calls,
    private readonly receipts: IdempotencyStore,
    private readonly metrics: Metrics,
    private readonly readYourWrites: ReadYourWrites,
    private readonly freshness: Freshness,
    private readonly quota: RecordingQuota,
    private readonly scopes: Scopes,
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly personal: PersonalData,
    private readonly decisions: RightsDecisions,
    private readonly shown: ShownEvents,
    private readonly asking: AskFirst,
  ) {}

  /**
   * Performs all checks that do not need the body.
   * @throws Refusal
   */
  admit({ operation: name, contentType, dryRun }: Arrival, authenticate: () => Promise<Caller>): Promise<Admitted> {
    return this.counted(name, async () => {
      const operation = operationAt(name);
      const caller = await authenticate();
      // Within a dry run nothing is stored, not even the decision behind a refusal.
      if (dryRun === undefined) this.decisions.authorise(operation, caller);
      else new DryRun().inside(() => this.decisions.authorise(operation, caller));
      if (isDryRun(dryRun) && operation.effect === 'query') refuse('dry-run-not-supported');
      if (!/^application\/json *(;|$)/i.test(contentType ?? '')) refuse('media-type-not-supported');
      return new Admitted(operation, caller);
    });
  }

  async handle({ operation, caller }: Admitted, request: Request): Promise<Answer> {
    const began = performance.now();
    const answer = await this.counted(operation.name, () =>
      // Personal data is opened only after the response was stored in the idempotency store, because that store must
      // contain personal data only in sealed form.
      this.openingRefusals(caller.workspaceId, async () => {
        if (isDryRun(request.dryRun)) return this.tried(operation, caller, request);
        const { body, ...rest } = await this.decisions.deciding(operation, caller, () =>
          this.answer(operation, caller, request),
        );
        return { body: await this.personal.opened(caller.workspaceId, body), ...rest };
      }),
    );
    this.metrics.operation(operation.name, 'ok', secondsSince(began));
    return answer;
  }

  private async counted<T>(name: string, work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await work();
    } catch (error) {
      const known = findOperation(name) !== undefined ? name : 'unknown';
      this.metrics.operation(known, error instanceof Refusal ? error.code : 'fault', secondsSince(began));
      throw error;
    }
  }

  /**
   * Runs the operation in the context `call`, with the same checks as for a request. Returns the body of the response.
   * @throws Refusal
   */
  async within(
    operation: RegisteredOperation,
    body: object,
    call: OperationContext & { readonly caller: Caller },
  ): Promise<unknown> {
    return (await this.asPart(operation, body, call)).body;
  }

  /**
   * Like `within`. `waiting` is true if the call waits for approval.
   * @throws Refusal
   */
  async asPart(
    operation: RegisteredOperation,
    body: object,
    call: OperationContext & { readonly caller: Caller },
  ): Promise<Pick<Answer, 'body' | 'waiting'>> {
    const { caller } = call;
    this.decisions.authorise(operation, caller);
    return this.openingRefusals(call.workspaceId, async () => {
      const answer = await this.decisions.deciding(operation, caller, () =>
        this.run(operation, inputOf(operation.input, body), call),
      );
      return { body: await this.personal.opened(call.workspaceId, answer.body), waiting: answer.waiting };
    });
  }

  private async openingRefusals<T>(workspaceId: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof Refusal ? await this.personal.openedRefusal(workspaceId, error) : error;
    }
  }

  private async tried(operation: RegisteredOperation, caller: Caller, request: Request): Promise<Answer> {
    if (operation.effect === 'query') refuse('dry-run-not-supported');
    const trial = new DryRun();
    const { workspaceId } = caller;
    // Personal data is opened within the dry run, because keys that the dry run creates exist only there.
    const body = await trial.inside(() =>
      this.openingRefusals(workspaceId, async () => {
        const answered = await trial.run(() =>
          this.decisions.deciding(operation, caller, () => this.answer(operation, caller, request)),
        );
        const answer = trialAnswer(trial, { answered, caller, operation, shown: this.shown });
        return this.personal.opened(workspaceId, answer);
      }),
    );
    return { body, waiting: false, behind: this.readYourWrites.behind, ageSeconds: 0, repeated: false };
  }

  private async answer(operation: RegisteredOperation, caller: Caller, request: Request): Promise<Answer> {
    const input = inputOf(operation.input, jsonBody(request.body));
    if (operation.effect === 'query' || request.idempotencyKey === undefined) {
      return this.run(operation, input, { ...this.calls.by(caller, operation.name), stop: request.stop });
    }
    return this.runOnce(operation, input, caller, request.idempotencyKey, request.body);
  }

  private async run(operation: RegisteredOperation, input: object, given: OperationContext): Promise<Answer> {
    const reason = takenReason(operation.input, input);
    const call = reason === undefined ? given : { ...given, reason };
    if (operation.within) await this.scopes.requireOf(operation.within, call, input);
    bindContext(call, input);
    if (operation.effect === 'query') {
      const body: unknown = await this.queries.execute(input);
      return {
        body,
        waiting: false,
        behind: this.readYourWrites.behind,
        ageSeconds: this.freshness.ageSeconds(),
        repeated: false,
      };
    }
    // Operations that can delete something, or shut visitors out of a site, run even when the quota is used up, because
    // they can be needed to stop the calls that use it up.
    if (checksQuotaFirst(operation)) await this.quota.mustHaveRoom(call);
    const { answer, shown } = await this.readYourWrites.waitForOwnWrites<unknown>(() =>
      this.cardOrRun(operation, input, call),
    );
    const waiting = answer instanceof PendingApproval;
    return { body: waiting ? answer.body : answer, waiting, behind: !shown, ageSeconds: 0, repeated: false };
  }

  private async cardOrRun(operation: RegisteredOperation, input: object, call: OperationContext): Promise<unknown> {
    if (call.weighing !== undefined && (operation.takesAway === true || operation.risky === true)) {
      call.weighing.isRisky = true;
    }
    const asked = mayNeedApproval(operation, call)
      ? await this.asking.cardFor(operation, input, call, (copy) => this.commands.execute(copy))
      : undefined;
    if (asked !== undefined) return asked;
    return this.commands.execute(input);
  }

  /** Calls with the same idempotency key have one effect and one response, even if an earlier attempt crashed. */
  private async runOnce(
    operation: RegisteredOperation,
    input: object,
    caller: Caller,
    idempotencyKey: string,
    content: Uint8Array,
  ): Promise<Answer> {
    if (!/^[\x20-\x7e]{1,255}$/.test(idempotencyKey)) refuse('idempotency-key-invalid');
    const call = this.calls.by(caller, operation.name, idempotencyKey);
    const fingerprint = Buffer.concat([Buffer.from(`${operation.name}\n`), content]);
    const receipt = await this.receipts.begin<Remembered>(call.commandId, fingerprint);
    switch (receipt.state) {
      case 'answered':
        return recall(receipt.answer);
      case 'other':
        return refuse('idempotency-key-reused');
      case 'going':
        return refuse('idempotency-key-in-progress', undefined, { retryAfterSeconds: 1 });
      case 'new':
        return this.runAndRemember(operation, input, { ...call, firstTime: receipt.first }, fingerprint);
    }
  }

  private async runAndRemember(
    operation: RegisteredOperation,
    input: object,
    call: OperationContext,
    fingerprint: Uint8Array,
  ): Promise<Answer> {
    try {
      const answer = await this.run(operation, input, call);
      const body = withoutShownOnce(operation.answers, answer.body);
      await this.receipts.settle(call.commandId, fingerprint, { body, waiting: answer.waiting });
      return answer;
    } catch (error) {
      await this.conclude(call.commandId, fingerprint, error);
      throw error;
    }
  }

  /**
   * After a fault, a refusal of kind `unavailable` or a refusal after a part of the work, the call may be repeated. A
   * refusal of kind `failed`, or after all of the work, is stored as the response. Any other refusal frees the key.
   */
  private async conclude(commandId: string, fingerprint: Uint8Array, error: unknown): Promise<void> {
    const mayRepeat = !(error instanceof Refusal) || error.kind === 'unavailable' || error.after === 'part';
    if (mayRepeat) return this.receipts.release(commandId);
    const { code, kind, message, facts, after } = error;
    if (kind !== 'failed' && after !== 'all') return this.receipts.forget(commandId);
    await this.receipts.settle(commandId, fingerprint, { refusal: { code, kind, message, facts } });
  }
}

type Remembered = { readonly body: unknown; readonly waiting?: boolean } | { readonly refusal: RememberedRefusal };

/** Receipts of earlier versions have no `kind`. It is then `failed`. */
type RememberedRefusal = Pick<Refusal, 'code' | 'message' | 'facts'> & Partial<Pick<Refusal, 'kind'>>;

function recall(remembered: Remembered): Answer {
  if ('body' in remembered) return { waiting: false, ...remembered, behind: false, ageSeconds: 0, repeated: true };
  const { code, kind = 'failed', message, facts } = remembered.refusal;
  throw new Refusal(code, kind, message, facts);
}

const secondsSince = (began: number) => (performance.now() - began) / 1_000;

function operationAt(name: string): RegisteredOperation {
  return findOperation(name) ?? refuse('unknown-operation', { path: `/api/v1/${name}` });
}
