// The package's index loads 320 modules (5 MB, a twentieth of the start time), among them phone number rules of all
// countries. Single checks are therefore imported from their own files, which have no types.
declare module 'class-validator/cjs/decorator/*' {
  export * from 'class-validator';
}
