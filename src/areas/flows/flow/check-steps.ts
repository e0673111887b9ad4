import { inputOf } from '../../../engine/operation/validation.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { type InvalidField, Refusal } from '../../../kernel/refusals/refusal.js';
import { checkedStepCondition } from './check-filters.js';
import { wrongTemplates } from './check-templates.js';
import type { FlowStep } from './flow.record.js';
import { type FlowStepShape, type SettingInputs, settingShapes } from './step-shapes.js';

export const mostSteps = 50;
const mostBytes = 256 * 1024;

/** @throws Refusal invalid-input, with the path of each error */
export function checkedSteps(sent: readonly FlowStepShape[]): readonly FlowStep[] {
  if (sent.length > mostSteps) refuseInput([{ path: 'steps', message: `must have at most ${mostSteps} entries` }]);
  if (Buffer.byteLength(JSON.stringify(sent)) > mostBytes) {
    refuseInput([{ path: 'steps', message: `must be at most ${mostBytes} bytes of JSON` }]);
  }
  const wrong: InvalidField[] = [];
  const steps = sent.flatMap((step, at) => {
    const path = `steps[${at}]`;
    if (sent.findIndex(({ id }) => id === step.id) < at) {
      wrong.push({ path: `${path}.id`, message: `repeats the id ${step.id}` });
    }
    const earlier = new Set(sent.slice(0, at).map(({ id }) => id));
    const later = new Set(sent.slice(at + 1).map(({ id }) => id));
    const checked = checkedStep(step, `${path}.settings`, later);
    wrong.push(...('wrong' in checked ? checked.wrong : wrongTemplates(checked, `${path}.settings`, earlier)));
    return 'wrong' in checked ? [] : [checked];
  });
  return wrong.length > 0 ? refuseInput(wrong) : steps;
}

type Checked = FlowStep | { readonly wrong: readonly InvalidField[] };

function checkedStep(step: FlowStepShape, path: string, later: ReadonlySet<string>): Checked {
  const { id, name = id, kind } = step;
  try {
    const settings = inputOf(settingShapes[kind], step.settings);
    const checked = wholeStep({ id, name }, kind, settings as never, path, later);
    return checked;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { errors = [] } = error.facts;
    return { wrong: errors.map(({ path: at, message }) => ({ path: at === '' ? path : `${path}.${at}`, message })) };
  }
}

function wholeStep<Kind extends FlowStep['kind']>(
  named: Pick<FlowStep, 'id' | 'name'>,
  kind: Kind,
  given: SettingInputs[Kind],
  path: string,
  later: ReadonlySet<string>,
): Checked {
  const sent = { kind, given } as { [K in FlowStep['kind']]: { kind: K; given: SettingInputs[K] } }[FlowStep['kind']];
  switch (sent.kind) {
    case 'run_function': {
      const { function: fn, params = {} } = sent.given;
      return { ...named, kind: sent.kind, settings: { function: fn, params } };
    }
    case 'raise_event': {
      const { name, subject = {}, properties = {} } = sent.given;
      return { ...named, kind: sent.kind, settings: { name, subject, properties } };
    }
    case 'send_mail': {
      const { text, html } = sent.given;
      if (text === undefined && html === undefined) {
        return { wrong: [{ path: `${path}.text`, message: 'is required, or html' }] };
      }
      return { ...named, kind: sent.kind, settings: { ...sent.given } };
    }
    case 'http_request': {
      const { method = 'GET', url, headers = {}, query = {}, body, failOnStatus = true } = sent.given;
      const settings = { method, url, headers, query, failOnStatus, ...(body === undefined ? {} : { body }) };
      return { ...named, kind: sent.kind, settings };
    }
    case 'wait': {
      const { seconds, until } = sent.given;
      if ((seconds === undefined) === (until === undefined)) {
        return { wrong: [{ path, message: 'must have either seconds or until' }] };
      }
      const settings = seconds === undefined ? { until: until ?? '' } : { seconds };
      return { ...named, kind: sent.kind, settings };
    }
    case 'condition': {
      const checked = checkedStepCondition(sent.given, path, later);
      return 'wrong' in checked ? checked : { ...named, kind: sent.kind, settings: checked };
    }
  }
}
