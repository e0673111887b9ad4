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

/** A field that a site requests from its users in addition to email, name and password. */
export interface CustomField {
  /** Derived from the name, so a field that is removed and added again has its stored values. */
  readonly id: string;
  /** Name of the field, unique in the project. */
  readonly name: string;
  readonly label: string;
  readonly type: CustomFieldType;
  readonly required: boolean;
  /** Only for select and multiSelect. */
  readonly options?: readonly string[];
}

/** How users sign in to the published site. */
export interface AuthSettings {
  readonly authEnabled: boolean;
  readonly authAllowSignup: boolean;
  /** Whether a user's email address must be verified. */
  readonly authRequireEmail: boolean;
  readonly authAllowSocial: boolean;
  /** Paths by key: `login`, `signup`, … or a key of the site's own. */
  readonly authPaths: Readonly<Record<string, string>>;
  /** Length of new sessions, in hours. `null` means seven days. */
  readonly authSessionHours: number | null;
  readonly authCustomFields: readonly CustomField[];
  /** Name of the mailbox that sends verification and reset mail. `null` means the platform's sender. */
  readonly authMailAccount: string | null;
  /** `null` means that the built-in template is used. */
  readonly authVerifyTemplateId: string | null;
  readonly authResetTemplateId: string | null;
  /** Origins on other hosts whose pages may call the visitor API: `https://app.example.com`. */
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
