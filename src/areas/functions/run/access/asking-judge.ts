import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  type ChainFault,
  chainFault,
  functionsNamed,
  longestFunctionChain,
} from '../../../../kernel/condition/function-chain.js';
import { canonicalJson } from '../../../../kernel/json/canonical-json.js';
import { isHeld } from '../../../../kernel/judging/entitlement.js';
import { judge } from '../../../../kernel/judging/judge.js';
import { cannotBeJudged, type Verdict } from '../../../../kernel/judging/verdict.js';
import { Clock } from '../../../../ports/clock.port.js';
import { AccessJudge, type AccessQuestion } from '../../../access/judging/access-judge.api.js';
import { userForCode } from '../params-for-code.js';
import { AnswerCache } from './kept-answers.js';
import { type AccessFunction, SiteAccessRuns } from './site-access-runs.js';

/** Time limit for a function's answer. */
const answerMs = 2_000;
const cachedMs = 5_000;
/** Functions behind one condition at most, direct and indirect. */
const mostFunctions = 200;

type Functions = ReadonlyMap<string, AccessFunction>;

@Injectable()
export class AskingJudge extends AccessJudge {
  private readonly answers: AnswerCache;

  constructor(
    @Inject(SiteAccessRuns) private readonly runs: Pick<SiteAccessRuns, 'find' | 'ask'>,
    private readonly clock: Clock,
  ) {
    super();
    this.answers = new AnswerCache(cachedMs, () => clock.now());
  }

  /** One function at a time, so that no function runs after the condition is decided. */
  override async judge(question: AccessQuestion): Promise<Verdict> {
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
      for (const fn of await this.runs.find(workspaceId, projectId, ids)) found.set(fn.id, fn);
      next = ids.flatMap((id) => functionsNamed(found.get(id)?.execute, 'function', policies));
    }
    return found;
  }

  private async answerOf(id: string, behind: Functions, question: AccessQuestion): Promise<boolean | 'failed'> {
    const fn = behind.get(id);
    if (fn === undefined || !fn.isActive) return 'failed';
    return this.answers.of(keyOf(fn, question), () => this.askFunction(id, question));
  }

  private async askFunction(
    id: string,
    { workspaceId, projectId, facts, resource }: AccessQuestion,
  ): Promise<boolean | 'failed'> {
    const ending = new AbortController();
    const late = Promise.withResolvers<'failed'>();
    const callOff = this.clock.after(answerMs, () => {
      ending.abort();
      late.resolve('failed');
    });
    const params = { user: userForCode(facts.person), resource: { ...resource } };
    try {
      return await Promise.race([
        this.runs.ask({ workspaceId, projectId }, id, params, ending.signal).catch(() => 'failed' as const),
        late.promise,
      ]);
    } finally {
      callOff();
    }
  }
}

/** Why these functions cannot be run, to follow "cannot be judged". */
function faultOf({ condition, facts, policies }: AccessQuestion, behind: Functions): string | undefined {
  if (behind.size > mostFunctions) return `it leads to more than ${mostFunctions} functions`;
  const first = functionsNamed(condition, facts.place, policies);
  const fault = chainFault(first, (id) => functionsNamed(behind.get(id)?.execute, 'function', policies));
  return fault && wordsOf(fault, (id) => behind.get(id)?.name ?? id);
}

export function wordsOf({ kind, chain }: ChainFault, nameOf: (id: string) => string): string {
  const names = chain.map(nameOf).join(' → ');
  return kind === 'circular'
    ? `its function rules come back to where they began: ${names}`
    : `its function rules lead over more than ${longestFunctionChain} functions: ${names}`;
}

/** Hashes everything that an answer depends on, including the condition: a change of any part causes a new run. */
function keyOf(fn: AccessFunction, question: AccessQuestion): string {
  const { workspaceId, projectId, condition, facts, policies, resource } = question;
  const { person, throughSite } = facts;
  const entitled = person?.entitlements.map((one) => isHeld(one, facts.now) ?? null);
  const reached: unknown[] = [];
  functionsNamed(condition, facts.place, (id) => {
    const policy = policies(id);
    reached.push(id, policy?.condition);
    return policy;
  });
  const site = [workspaceId, projectId];
  const known = [site, fn.id, fn.version, person, entitled, throughSite, resource, condition, reached];
  return createHash('sha256').update(canonicalJson(known)).digest('base64');
}
