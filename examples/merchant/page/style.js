/** Its digest is in the page's headers: no other style is used. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --text: #1b1b1b; --ground: #fff; --line: #d0d0d0; --link: #0b57d0; --bad: #8a1c1c; --good: #14532d;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #ececec; --ground: #161616; --line: #444; --link: #9ec1ff; --bad: #ffb4ab; --good: #a6e3b4;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1rem 1.5rem 3rem; max-width: 80rem;
  font: 1rem/1.5 system-ui, sans-serif; color: var(--text); background: var(--ground);
}
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); }
.good, .bad { padding: 0.75rem 1rem; border-left: 0.4rem solid; }
.good { color: var(--good); }
.bad, .bad a { color: var(--bad); }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid var(--line); padding: 0.35rem 0.6rem; text-align: left; vertical-align: top; }
td { overflow-wrap: anywhere; min-width: 6rem; }
pre { max-height: 16rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
`;
