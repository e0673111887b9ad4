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

/** A function of a site, as rules ask it. */
export interface AccessFunction {
  readonly id: string;
  readonly name: string;
  readonly isActive: boolean;
  /** Changes with anything that may change its answers. */
  readonly version: string;
  /** Its own execute rule. Not judged here, but it must not form a cycle. */
  readonly execute: unknown;
}

/** What a function is asked about: whether this person may have this. */
export interface QuestionSubject {
  readonly person: PersonFacts | undefined;
  readonly resource: Resource;
}

export interface AccessFunctions {
  /** The site's functions among these ids. */
  find(workspaceId: string, projectId: string, ids: readonly string[]): Promise<readonly AccessFunction[]>;
  /** Whether it lets the person in; `failed` without an answer, and when `ended` has cut it short. */
  ask(
    site: Pick<AccessQuestion, 'workspaceId' | 'projectId'>,
    functionId: string,
    about: QuestionSubject,
    ended: AbortSignal,
  ): Promise<boolean | 'failed'>;
}

/** What a condition protects, as the functions that its rules name get it: `params.resource`. */
export interface Resource {
  readonly type: Facts['place'];
  readonly id: string;
  readonly name: string;
}

export interface AccessQuestion {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly condition: unknown;
  /** Read for this call: what changes of a user counts from the next call on. */
  readonly facts: Omit<Facts, 'functions'>;
  readonly policies: Policies;
  readonly resource: Resource;
}

/** Time limit for a function's answer. */
const answerMs = 2_000;
const keptMs = 5_000;
/** Functions behind one condition at most, direct and indirect. */
const mostFunctions = 200;

type Functions = ReadonlyMap<string, AccessFunction>;

/**
 * Judges conditions of a site, asking the functions that their rules name. Functions are judged by rules too, so they are
 * registered here.
 */
@Injectable()
export class AccessJudge {
  private readonly answers: AnswerCache;
  private functions: AccessFunctions | undefined;

  constructor(private readonly clock: Clock) {
    this.answers = new AnswerCache(keptMs, () => clock.now());
  }

  register(functions: AccessFunctions): void {
    this.functions = functions;
  }

  /**
   * Never `open`, and anything but `allowed` denies. A function has to answer true within two seconds; its answer is kept
   * for five seconds for this rule, resource and user as they are (Sites supplement, Backend functions). One function after
   * the other, so that a rule that has already decided asks no more.
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

  /** The functions in the condition, and those in their own rules, up to the longest chain. */
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

  private async ask(...asked: Parameters<AccessFunctions['ask']>): Promise<boolean | 'failed'> {
    return this.functions?.ask(...asked) ?? 'failed';
  }
}

/** Enters the functions that rules ask. A provider of their slice. */
export const answersRules = (functions: Type<AccessFunctions>) => ({
  provide: Symbol('Answers rules'),
  inject: [AccessJudge, functions],
  useFactory: (judge: AccessJudge, one: AccessFunctions) => judge.register(one),
});

/** Why these functions cannot be run, to follow "cannot be judged". */
function faultOf({ condition, facts, policies }: AccessQuestion, behind: Functions): string | undefined {
  if (behind.size > mostFunctions) return `it leads to more than ${mostFunctions} functions`;
  const first = functionsNamed(condition, facts.place, policies);
  const fault = chainFault(first, (id) => functionsNamed(behind.get(id)?.execute, 'function', policies));
  return fault && wordsOf(fault, (id) => behind.get(id)?.name ?? id);
}

function wordsOf({ kind, chain }: ChainFault, nameOf: (id: string) => string): string {
  const names = chain.map(nameOf).join(' → ');
  return kind === 'circular'
    ? `its function rules come back to where they began: ${names}`
    : `its function rules lead over more than ${longestFunctionChain} functions: ${names}`;
}

/** Hashes everything that an answer depends on, including the condition: a change of any part causes a new run. */
function keyOf(fn: AccessFunction, question: AccessQuestion): string {
  const { workspaceId, projectId, condition, facts, policies, resource } = question;
  const { person, throughSite } = facts;
  const held = person?.entitlements.map((one) => isHeld(one, facts.now) ?? null);
  const reached: unknown[] = [];
  functionsNamed(condition, facts.place, (id) => {
    const policy = policies(id);
    reached.push(id, policy?.condition);
    return policy;
  });
  const site = [workspaceId, projectId];
  const known = [site, fn.id, fn.version, person, held, throughSite, resource, condition, reached];
  return createHash('sha256').update(canonicalJson(known)).digest('base64');
}
