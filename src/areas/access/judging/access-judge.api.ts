import type { Policies } from '../../../kernel/condition/condition.js';
import type { Facts } from '../../../kernel/judging/facts.js';
import type { Verdict } from '../../../kernel/judging/verdict.js';

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

/**
 * Judges conditions of a site, asking the functions that their rules name. The area of functions implements it, because
 * functions are judged by rules too: judging imports nothing that runs them.
 */
export abstract class AccessJudge {
  /**
   * Never `open`, and anything but `allowed` denies. A function has to answer true within two seconds; its answer is kept
   * for five seconds for this rule, resource and user as they are (Sites supplement, Backend functions).
   */
  abstract judge(question: AccessQuestion): Promise<Verdict>;
}
