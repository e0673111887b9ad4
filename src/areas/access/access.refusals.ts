import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusing } from '../../kernel/refusals/refusal.js';
import { eachCall, invalid, refusal } from '../../kernel/refusals/refusal-entry.js';

export const accessRefusals = {
  'access-policy-not-found': refusal(
    'not-found',
    () => 'There is no such access policy in this workspace; listAccessPolicies lists the policies of a site.',
  ),
  'access-policy-name-taken': refusal(
    'conflict',
    (about: { name: string }) =>
      `The site has an access policy named '${about.name}' already; choose another name, or change that one.`,
  ),
  'condition-invalid': invalid(
    eachCall,
    (about: { of: string; problem: string }) =>
      `The condition of ${about.of} cannot be saved: ${about.problem}. Nothing was changed; correct it and send the call again.`,
  ),
  'policies-full': refusal(
    'conflict',
    (about: { name: string; problem: string }) =>
      `The policy '${about.name}' cannot be saved: ${about.problem} Nothing was changed; delete or shorten a policy first.`,
  ),
  'policy-breaks': refusal(
    'conflict',
    (about: { name: string; kind: string; resource: string; operation: string; problem: string }) =>
      `With this condition of the policy '${about.name}', the ${about.operation} rule of the ${about.kind} '${about.resource}' could no longer be evaluated: ${about.problem}. Nothing was changed; change that rule first, or send another condition.`,
  ),
  'channel-rules-not-found': refusal(
    'not-found',
    (about: { pattern: string }) =>
      `The site has no channel rules for the pattern '${about.pattern}'; getChannelAccessRules shows the existing rules.`,
  ),
  'channel-rules-full': refusal(
    'conflict',
    (about: { most: number }) =>
      `A site has channel rules for at most ${about.most} patterns; delete one with deleteChannelAccessRules first.`,
  ),
  'channel-rules-too-large': refusal(
    'conflict',
    (about: { most: number }) =>
      `The channel rules of a site have at most ${about.most} characters together; shorten one, or let them refer to access policies.`,
  ),
  'agent-may-not-change': refusal(
    'forbidden',
    (about: { what: string }) => `An AI agent cannot change ${about.what}; a person has to do it.`,
  ),
  'automation-may-not-change': refusal(
    'forbidden',
    (about: { what: string }) =>
      `An automation, a flow or a function cannot change ${about.what}; a person has to do it.`,
  ),
};

const known = { ...engineRefusals, ...accessRefusals };
export const refuse: Refuse<typeof known> = refusing(known);
