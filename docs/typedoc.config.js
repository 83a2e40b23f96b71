// The reference of each entry, from the docblocks. A link that leads nowhere fails.
/** @type {import('typedoc').TypeDocOptions & import('typedoc-plugin-markdown').PluginOptions} */
export default {
  entryPoints: [
    'index',
    'receiver/index',
    'store/index',
    'testing/index',
    'inspect/index',
    'valibot',
  ].map((name) => `../src/${name}.ts`),
  tsconfig: '../tsconfig.json',
  plugin: ['typedoc-plugin-markdown'],
  treatWarningsAsErrors: true,
  readme: 'none',
  out: 'reference',
  disableSources: true,
  // Named in a type, but of no use by themselves.
  intentionallyNotExported: [
    'Override',
    'DepositReceivedField',
    'WithdrawalBroadcastField',
    'NOTES',
    'ParsedBody',
    'NotificationErrorDetails',
  ],
  githubPages: false,
  // Of typedoc-plugin-markdown:
  router: 'module',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  pageTitleTemplates: {
    module: ({ name }) =>
      name === 'index' ? 'payment-notifications' : `payment-notifications/${name}`,
  },
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  enumMembersFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  entryFileName: 'overview',
};
