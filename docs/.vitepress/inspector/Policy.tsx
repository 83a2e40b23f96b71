import type { RefObject, VNode } from 'preact';

/** What keeps the page from sending anything: asked for by the page, enforced by the browser. */
export function Policy({ section }: { readonly section: RefObject<HTMLElement> }): VNode {
  const meta = document.querySelector('meta[http-equiv="Content-Security-Policy"]');
  const policy = meta?.getAttribute('content') ?? '';
  return (
    <section ref={section} tabIndex={-1} class="policy" aria-labelledby="policy-title">
      <h2 id="policy-title">Why nothing leaves this page</h2>
      <p>
        The parser runs in your browser. This page’s policy forbids its scripts every request, and
        it forbids forms, and scripts, images and styles from elsewhere; your browser enforces it.
        It can’t keep a script from opening another address; this page has no such script, and no
        analytics. If you make a link, the link and the address bar contain the body after the{' '}
        <code>#</code>, a part that browsers send to no server.
      </p>
      <details>
        <summary>The policy</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls needs the keyboard. */}
        <pre tabIndex={0}>
          <code>{policy.replaceAll('; ', ';\n')}</code>
        </pre>
      </details>
    </section>
  );
}
