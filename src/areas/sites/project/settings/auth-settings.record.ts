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

/** A field of user accounts that the site adds to email, name and password. */
export interface CustomField {
  /**
   * Derived from the name. If a field is removed and added again, it has the same id, and users still have their
   * values.
   */
  readonly id: string;
  /** Name of the field, unique in the project. */
  readonly name: string;
  readonly label: string;
  readonly type: CustomFieldType;
  readonly required: boolean;
  /** Set only for `select` and `multiSelect`. */
  readonly options?: readonly string[];
}

export interface AuthSettings {
  readonly authEnabled: boolean;
  readonly authAllowSignup: boolean;
  /** Whether users must verify their email address. */
  readonly authRequireEmail: boolean;
  readonly authAllowSocial: boolean;
  /** Paths of pages by their purpose: `login`, `signup` and others. Sites may add keys of their own. */
  readonly authPaths: Readonly<Record<string, string>>;
  /** Lifetime of new sessions, in hours. `null` means seven days. */
  readonly authSessionHours: number | null;
  readonly authCustomFields: readonly CustomField[];
  /** Name of the mailbox that sends verification and reset mail. `null` means that the platform sends it. */
  readonly authMailAccount: string | null;
  /** `null` means that the built-in template is used. */
  readonly authVerifyTemplateId: string | null;
  readonly authResetTemplateId: string | null;
  /** Origins outside the site whose pages may call the visitor API, such as `https://app.example.com`. */
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
