import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { type InvalidField } from '../../../kernel/refusals/refusal.js';
import { checkHostPattern, type HostPattern } from '../../../secret-text/host-pattern.js';
import { refuse } from '../secrets.refusals.js';

const settingPrefix = 'APP_';

/**
 * @throws Refusal env-var-name-reserved if the name begins with `APP_`, which is reserved for settings of ctx.env
 * @param at path of the input field that the error names
 */
export function mustNotBeSetting(name: string, at = 'name'): void {
  if (name.startsWith(settingPrefix)) refuse('env-var-name-reserved', { name }, { at });
}

interface Checked {
  readonly value?: string;
  readonly allowedHosts?: readonly string[];
}

/**
 * Returns the input with hosts in stored form.
 * @throws Refusal invalid-input
 */
export function checkValue<Input extends Checked>(input: Input, check = checkHostPattern): Input {
  return input.allowedHosts === undefined ? input : { ...input, allowedHosts: checkHosts(input.allowedHosts, check) };
}

function checkHosts(hosts: readonly string[], check: typeof checkHostPattern): readonly HostPattern[] {
  const invalid: InvalidField[] = [];
  const patterns = hosts.flatMap((host, index) => {
    const checked = check(host);
    if (checked.ok) return [checked.pattern];
    invalid.push({ path: `allowedHosts[${index}]`, message: checked.wrong });
    return [];
  });
  if (invalid.length > 0) refuseInput(invalid);
  return [...new Set(patterns)];
}
