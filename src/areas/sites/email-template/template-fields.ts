import { isJsonObject, type Json } from '../../../kernel/json/json.js';
import { fieldOf } from '../../../kernel/noun/fields.js';
import { mustBe } from '../../../kernel/text/must-be.js';

export interface TemplateVariable {
  readonly name: string;
  readonly default?: string | number | boolean;
}

const kebabCase = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const longestSlug = 100;

function wrongSlug(value: unknown): string | undefined {
  if (typeof value !== 'string') return mustBe('a string', value);
  if (value.length > longestSlug) return `must be at most ${longestSlug} characters`;
  return kebabCase.test(value) ? undefined : 'must be in kebab-case, such as order-confirmation';
}

const variableName = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
const mostVariables = 100;
const longestDefault = 2_000;

function wrongVariables(value: unknown): string | undefined {
  if (!Array.isArray(value)) return 'must be an array';
  if (value.length > mostVariables) return `must have at most ${mostVariables} entries`;
  const names = new Set<unknown>();
  for (const [index, one] of (value as readonly Json[]).entries()) {
    const wrong =
      wrongVariable(one) ?? (names.has((one as { name: Json }).name) ? 'has a name that is used twice' : undefined);
    if (wrong !== undefined) return `entry ${index + 1} ${wrong}`;
    names.add((one as { name: Json }).name);
  }
  return undefined;
}

function wrongVariable(one: Json): string | undefined {
  if (!isJsonObject(one)) return 'must be an object { name, default? }';
  const { name, default: standsIn, ...others } = one;
  if (typeof name !== 'string' || !variableName.test(name)) {
    return 'must have a name of at most 64 letters, digits and _ that does not begin with a digit';
  }
  const [other] = Object.keys(others);
  if (other !== undefined) return `has an unknown member '${other.slice(0, 100)}'; only name and default are allowed`;
  if (standsIn === undefined || typeof standsIn === 'number' || typeof standsIn === 'boolean') return undefined;
  if (typeof standsIn !== 'string') return 'must have a default that is a string, a number or a boolean';
  return standsIn.length > longestDefault ? `must have a default of at most ${longestDefault} characters` : undefined;
}

export const templateSlugField = () =>
  fieldOf<string>()({
    type: 'any',
    schema: { type: 'string', maxLength: longestSlug, pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$' },
    wrong: wrongSlug,
  })
    .describe({ sent: "In kebab-case. Unique in the project. Used as in `email.send({ template: 'welcome' })`." })
    .shownAs({ type: 'string' });

export const templateVariables = () =>
  fieldOf<readonly TemplateVariable[]>()({
    type: 'any',
    schema: {
      type: 'array',
      maxItems: mostVariables,
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', pattern: variableName.source },
          default: { type: ['string', 'number', 'boolean'], maxLength: longestDefault },
        },
        additionalProperties: false,
      },
    },
    wrong: wrongVariables,
  })
    .initially([])
    .describe('[{ name, default? }]. If a mail gives no value for `{{name}}`, the default replaces it.');
