// What worker.mjs uses of a Worker.
declare module 'cloudflare:workers' {
  interface R2Bucket {
    put(key: string, content: string | Uint8Array): Promise<unknown>;
    get(key: string): Promise<{ arrayBuffer(): Promise<ArrayBuffer> } | null>;
    list(options: {
      prefix: string;
      cursor?: string | undefined;
    }): Promise<
      { objects: { key: string; uploaded: Date }[] } & (
        | { truncated: true; cursor: string }
        | { truncated: false }
      )
    >;
    delete(key: string): Promise<unknown>;
  }
  const env: {
    CALLBACK_SECRET: string;
    DATABASE: { connectionString: string };
    WEBHOOKS: R2Bucket;
  };
}
