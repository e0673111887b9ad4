export const customFieldTypes = [
  'text',
  'longText',
  'number',
  'integer',
  'boolean',
  'date',
  'dateTime',
  'email',
  'url',
  'phone',
  'select',
  'multiSelect',
] as const;
export type CustomFieldType = (typeof customFieldTypes)[number];

export interface CustomField {
  /** Derived from the name, so a field that is removed and added again keeps its id and the users' values. */
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly type: CustomFieldType;
  readonly required: boolean;
  readonly options?: readonly string[];
}

export interface AuthSettings {
  readonly authEnabled: boolean;
  readonly authAllowSignup: boolean;
  readonly authRequireEmail: boolean;
  readonly authAllowSocial: boolean;
  /** Keyed by purpose, such as `login` or `signup`. Sites may add keys of their own. */
  readonly authPaths: Readonly<Record<string, string>>;
  /** `null` means seven days. */
  readonly authSessionHours: number | null;
  readonly authCustomFields: readonly CustomField[];
  /** The mailbox that sends verification and reset mail. `null` means that the platform sends it. */
  readonly authMailAccount: string | null;
  /** `null` means that the built-in template is used. */
  readonly authVerifyTemplateId: string | null;
  readonly authResetTemplateId: string | null;
  /** Origins other than the site's whose pages may call the visitor API. */
  readonly allowedOrigins: readonly string[];
}

export const firstAuthSettings: AuthSettings = {
  authEnabled: false,
  authAllowSignup: true,
  authRequireEmail: false,
  authAllowSocial: false,
  authPaths: {},
  authSessionHours: null,
  authCustomFields: [],
  authMailAccount: null,
  authVerifyTemplateId: null,
  authResetTemplateId: null,
  allowedOrigins: [],
};
