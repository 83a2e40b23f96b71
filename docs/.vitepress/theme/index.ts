import TwoslashFloatingVue from '@shikijs/vitepress-twoslash/client';
import { onContentUpdated, type Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import InspectorPage from './InspectorPage.vue';
import LandingPage from './LandingPage.vue';
import { restoreTasks } from './tasks';
import '@shikijs/vitepress-twoslash/style.css';
import './style.css';

export default {
  extends: DefaultTheme,
  setup: () => onContentUpdated(restoreTasks),
  enhanceApp({ app }) {
    app.use(TwoslashFloatingVue);
    // By the names of `layout` in the pages: these stay plain Markdown.
    app.component('landing', LandingPage);
    app.component('inspector', InspectorPage);
  },
} satisfies Theme;
