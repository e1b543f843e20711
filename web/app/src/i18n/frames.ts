import { texts } from "./texts";

/** Texts around the frames of cards that are pages of their own. */
export const frames = texts({
  "frame.enter": { en: "Go into {name}", ru: "Перейти внутрь «{name}»", zh: "进入 {name}" },
  "frame.reload": { en: "Reload", ru: "Загрузить заново", zh: "重新加载" },
  "frame.failed": { en: "The card did not start.", ru: "Карточка не запустилась.", zh: "卡片未能启动。" },
  "frame.silent": { en: "The card does not answer.", ru: "Карточка не отвечает.", zh: "卡片没有响应。" },
  "frame.flooded": {
    en: "The card was stopped: it sent too many messages at once.",
    ru: "Карточка остановлена: слишком много сообщений сразу.",
    zh: "卡片已停止：一次发送的消息过多。",
  },
  "frame.grabbing": {
    en: "The card was stopped: it kept taking the keyboard.",
    ru: "Карточка остановлена: она всё время перехватывала клавиатуру.",
    zh: "卡片已停止：它不断抢占键盘。",
  },
  "frame.restarting": {
    en: "The card was stopped: it kept loading itself anew.",
    ru: "Карточка остановлена: она всё время загружала себя заново.",
    zh: "卡片已停止：它不断重新加载自身。",
  },
  "frame.elsewhere": {
    en: "This card is open in another window.",
    ru: "Эта карточка открыта в другом окне.",
    zh: "此卡片已在另一个窗口中打开。",
  },
  "frame.takeOver": { en: "Take over", ru: "Перенести сюда", zh: "转到此处" },
  "frame.large": { en: "The card fills the window.", ru: "Карточка занимает всё окно.", zh: "卡片正占满窗口。" },
  "frame.expand": { en: "Fill the window", ru: "Во всё окно", zh: "占满窗口" },
  "frame.shrink": { en: "Back to the canvas", ru: "Вернуть на холст", zh: "返回画布" },
  "frame.asleep": { en: "asleep", ru: "спит", zh: "休眠中" },
  "customStatus.unmounted": { en: "not loaded", ru: "не загружена", zh: "未加载" },
  "customStatus.loading": { en: "loading", ru: "загружается", zh: "加载中" },
  "customStatus.suspended": { en: "asleep", ru: "спит", zh: "休眠中" },
  "customStatus.unresponsive": { en: "does not answer", ru: "не отвечает", zh: "没有响应" },
  "inbox.open": { en: "Inbox", ru: "Входящие", zh: "收件箱" },
  "inbox.count": { en: "Inbox: {count} waiting", ru: "Входящие: ждут {count}", zh: "收件箱：{count} 项等待" },
  "inbox.empty": { en: "No card asks for you.", ru: "Ни одна карточка вас не зовёт.", zh: "没有卡片需要您处理。" },
});
