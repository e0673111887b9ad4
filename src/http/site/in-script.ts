/** JSON that ends no script element and begins no comment, whatever its texts hold. */
export const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');
