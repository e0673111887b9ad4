import { createHash } from 'node:crypto';
import { Injectable, type Type } from '@nestjs/common';
import type { Policies } from '../../../kernel/condition/condition.js';
import {
  type ChainFault,
  chainFault,
  functionsNamed,
  longestFunctionChain,
} from '../../../kernel/condition/function-chain.js';
import { canonicalJson } from '../../../kernel/json/canonical-json.js';
import { isHeld } from '../../../kernel/judging/entitlement.js';
import type { Facts, PersonFacts } from '../../../kernel/judging/facts.js';
import { judge } from '../../../kernel/judging/judge.js';
import { cannotBeJudged, type Verdict } from '../../../kernel/judging/verdict.js';
import { Clock } from '../../../ports/clock.port.js';
import { AnswerCache } from './answer-cache.js';

export interface AccessFunction {
  readonly id: string;
  readonly name: string;
  readonly isActive: boolean;
  /** Changes whenever the function's answers can change. */
  readonly version: string;
  /** Condition that decides who may execute the function. It is not evaluated when a rule calls the function. */
  readonly execute: unknown;
}

export interface QuestionSubject {
  readonly person: PersonFacts | undefined;
  readonly resource: JudgedResource;
}

export interface AccessFunctions {
  find(workspaceId: string, projectId: string, ids: readonly string[]): Promise<readonly AccessFunction[]>;
  /**
   * Resolves to whether the function grants access, or to `failed` if the function gives no valid answer or `ended`
   * aborts the run.
   */
  evaluate(
    site: Pick<AccessQuestion, 'workspaceId' | 'projectId'>,
    functionId: string,
    about: QuestionSubject,
    ended: AbortSignal,
  ): Promise<boolean | 'failed'>;
}

/** Passed to the functions that the rules name, as `params.resource`. */
export interface JudgedResource {
  readonly type: Facts['place'];
  readonly id: string;
  readonly name: string;
}

export interface AccessQuestion {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly condition: unknown;
  /**
   * Facts about the visitor. The caller of `judge` reads them once per call, so a change of a user takes effect at that
   * user's next call.
   */
  readonly facts: Omit<Facts, 'functions'>;
  readonly policies: Policies;
  readonly resource: JudgedResource;
}

const answerMs = 2_000;
const cachedMs = 5_000;
/** Maximum number of functions that a condition names directly or through the conditions of other functions. */
const mostFunctions = 200;

type Functions = ReadonlyMap<string, AccessFunction>;

/**
 * The functions area registers its `AccessFunctions` here at start. Importing that area would be circular, because it
 * imports this one to protect functions with conditions.
 */
@Injectable()
export class AccessJudge {
  private readonly answers: AnswerCache;
  private functions: AccessFunctions | undefined;

  constructor(private readonly clock: Clock) {
    this.answers = new AnswerCache(cachedMs, () => clock.now());
  }

  register(functions: AccessFunctions): void {
    this.functions = functions;
  }

  /**
   * Every verdict but `allowed` denies access, and the verdict is never `open` (undecided). A function must return true
   * within two seconds to grant access. Its answer is cached for five seconds (Sites supplement, Backend functions).
   * Functions run one at a time, so that none runs once the verdict is known.
   */
  async judge(question: AccessQuestion): Promise<Verdict> {
    const { condition, facts, policies } = question;
    const answered = new Map<string, boolean | 'failed'>();
    let behind: Functions | undefined;
    for (;;) {
      const verdict = judge(condition, { ...facts, functions: answered }, policies);
      const [next] = verdict.functionsToAsk();
      if (next === undefined) return verdict;
      behind ??= await this.functionsBehind(question);
      const fault = faultOf(question, behind);
      if (fault !== undefined) return cannotBeJudged(fault);
      answered.set(next, await this.answerOf(next, behind, question));
    }
  }

  private async functionsBehind(question: AccessQuestion): Promise<Functions> {
    const { workspaceId, projectId, condition, facts, policies } = question;
    const found = new Map<string, AccessFunction>();
    let next = functionsNamed(condition, facts.place, policies);
    for (let depth = 0; next.length > 0 && depth <= longestFunctionChain; depth += 1) {
      const ids = next.filter((id) => !found.has(id)).slice(0, mostFunctions + 1);
      if (ids.length === 0) break;
      for (const fn of (await this.functions?.find(workspaceId, projectId, ids)) ?? []) found.set(fn.id, fn);
      next = ids.flatMap((id) => functionsNamed(found.get(id)?.execute, 'function', policies));
    }
    return found;
  }

  private async answerOf(id: string, behind: Functions, question: AccessQuestion): Promise<boolean | 'failed'> {
    const fn = behind.get(id);
    if (fn === undefined || !fn.isActive) return 'failed';
    return this.answers.of(keyOf(fn, question), () => this.asked(id, question));
  }

  private async asked(
    id: string,
    { workspaceId, projectId, facts, resource }: AccessQuestion,
  ): Promise<boolean | 'failed'> {
    const ending = new AbortController();
    const late = Promise.withResolvers<'failed'>();
    const callOff = this.clock.after(answerMs, () => {
      ending.abort();
      late.resolve('failed');
    });
    const about = { person: facts.person, resource };
    try {
      return await Promise.race([
        this.ask({ workspaceId, projectId }, id, about, ending.signal).catch(() => 'failed' as const),
        late.promise,
      ]);
    } finally {
      callOff();
    }
  }

  private async ask(...asked: Parameters<AccessFunctions['evaluate']>): Promise<boolean | 'failed'> {
    return this.functions?.evaluate(...asked) ?? 'failed';
  }
}

export const answersRules = (functions: Type<AccessFunctions>) => ({
  provide: Symbol('Answers rules'),
  inject: [AccessJudge, functions],
  useFactory: (judge: AccessJudge, one: AccessFunctions) => judge.register(one),
});

/**
 * Returns the reason why the condition cannot be judged, as a clause that follows a colon. Returns undefined if it can
 * be judged.
 */
function faultOf({ condition, facts, policies }: AccessQuestion, behind: Functions): string | undefined {
  if (behind.size > mostFunctions) return `it calls more than ${mostFunctions} functions`;
  const first = functionsNamed(condition, facts.place, policies);
  const fault = chainFault(first, (id) => functionsNamed(behind.get(id)?.execute, 'function', policies));
  return fault && wordsOf(fault, (id) => behind.get(id)?.name ?? id);
}

function wordsOf({ kind, chain }: ChainFault, nameOf: (id: string) => string): string {
  const names = chain.map(nameOf).join(' → ');
  return kind === 'circular'
    ? `its function rules form a cycle: ${names}`
    : `its function rules form a chain of more than ${longestFunctionChain} functions: ${names}`;
}

function keyOf(fn: AccessFunction, question: AccessQuestion): string {
  const { workspaceId, projectId, condition, facts, policies, resource } = question;
  const { person, throughSite } = facts;
  const areHeld = person?.entitlements.map((one) => isHeld(one, facts.now) ?? null);
  const reached: unknown[] = [];
  functionsNamed(condition, facts.place, (id) => {
    const policy = policies(id);
    reached.push(id, policy?.condition);
    return policy;
  });
  const site = [workspaceId, projectId];
  const known = [site, fn.id, fn.version, person, areHeld, throughSite, resource, condition, reached];
  return createHash('sha256').update(canonicalJson(known)).digest('base64');
}
