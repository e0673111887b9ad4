/** The npm team's modules have no types of their own. */
declare module '@npmcli/config' {
  interface ConfigOptions {
    readonly npmPath: string;
    readonly definitions: object;
    readonly shorthands: object;
    readonly nerfDarts: readonly string[];
    readonly flatten: object;
    readonly argv: readonly string[];
    readonly env: Record<string, string | undefined>;
    readonly warn: boolean;
  }
  export default class Config {
    constructor(options: ConfigOptions);
    load(): Promise<void>;
    readonly flat: Readonly<Record<string, unknown>>;
  }
}

declare module '@npmcli/config/lib/definitions/index.js' {
  const settings: {
    readonly definitions: object;
    readonly shorthands: object;
    readonly nerfDarts: readonly string[];
    readonly flatten: object;
  };
  export default settings;
}

declare module 'npm-registry-fetch/lib/auth.js' {
  /** The credential to send is `Bearer <token>` or `Basic <auth>`. */
  export default function getAuth(
    address: string,
    options: Readonly<Record<string, unknown>>,
  ): { readonly token: string | null; readonly auth: string | null };
}
