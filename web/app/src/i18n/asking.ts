import { texts } from "./texts";

/** Texts of the questions that cards put to the person, of settings forms, and what each permission allows. */
export const asking = texts({
  "asked.by": { en: "“{name}” asks", ru: "Спрашивает «{name}»", zh: "“{name}”询问" },
  "asked.card": { en: "Card", ru: "Карточка", zh: "卡片" },
  "asked.package": { en: "Package", ru: "Пакет", zh: "扩展包" },
  "asked.permissionTitle": {
    en: "“{name}” asks for permission",
    ru: "«{name}» просит разрешение",
    zh: "“{name}”请求权限",
  },
  "asked.permissionScope": {
    en: "It holds for all cards of this package in this workspace. You can take it back in the card's panel.",
    ru: "Действует для всех карточек этого пакета в этом воркспейсе. Отозвать можно на панели карточки.",
    zh: "对此工作区中该扩展包的所有卡片有效。可在卡片面板中收回。",
  },
  "asked.grant": { en: "Allow", ru: "Разрешить", zh: "允许" },
  "asked.linkTitle": { en: "“{name}” wants to open a link", ru: "«{name}» хочет открыть ссылку", zh: "“{name}”想打开链接" },
  "asked.linkHost": { en: "It leads to {host}", ru: "Она ведёт на {host}", zh: "链接指向 {host}" },
  "asked.open": { en: "Open", ru: "Открыть", zh: "打开" },
  "asked.yes": { en: "Yes", ru: "Да", zh: "是" },
  "asked.no": { en: "No", ru: "Нет", zh: "否" },
  "asked.notCopied": {
    en: "The browser did not let it copy a text. Click into the page, then try again.",
    ru: "Браузер не дал скопировать текст. Щёлкните по странице и повторите.",
    zh: "浏览器未允许复制文本。请先点击页面，然后重试。",
  },
  "asked.copied": { en: "Text copied to the clipboard", ru: "Текст скопирован в буфер обмена", zh: "文本已复制到剪贴板" },

  "permission.agents.read": {
    en: "See your agents and terminals: names, status, turns",
    ru: "Видеть ваших агентов и терминалы: имена, статус, ходы",
    zh: "查看您的智能体和终端：名称、状态、轮次",
  },
  "permission.agents.output": {
    en: "Read what joined agents and terminals print and answer",
    ru: "Читать вывод и ответы соединённых агентов и терминалов",
    zh: "读取相连的智能体和终端的输出与回复",
  },
  "permission.agents.prompt": {
    en: "Send prompts to joined agents",
    ru: "Отправлять промпты соединённым агентам",
    zh: "向相连的智能体发送提示词",
  },
  "permission.terminals.write": {
    en: "Type and run commands in joined terminals",
    ru: "Печатать и выполнять команды в соединённых терминалах",
    zh: "在相连的终端中输入并运行命令",
  },
  "permission.cards.connected": {
    en: "Read and change notes, lists and boards joined to it",
    ru: "Читать и менять соединённые заметки, списки и доски",
    zh: "读取并更改与其相连的笔记、清单和看板",
  },
  "permission.network": {
    en: "Reach these hosts on the internet",
    ru: "Обращаться к этим узлам в интернете",
    zh: "访问以下互联网主机",
  },
  "permission.network.local": {
    en: "Reach programs on this computer and its network",
    ru: "Обращаться к программам на этом компьютере и в его сети",
    zh: "访问本机及其网络上的程序",
  },
  "permission.fs.read": {
    en: "Read the files of the workspace",
    ru: "Читать файлы воркспейса",
    zh: "读取工作区的文件",
  },
  "permission.fs.write": {
    en: "Write and delete files of the workspace",
    ru: "Изменять и удалять файлы воркспейса",
    zh: "写入和删除工作区的文件",
  },
  "permission.clipboard.write": {
    en: "Put text on the clipboard",
    ru: "Помещать текст в буфер обмена",
    zh: "将文本放入剪贴板",
  },
  "permission.canvas.spawn": {
    en: "Add up to four cards beside itself",
    ru: "Добавлять рядом до четырёх карточек",
    zh: "在旁边添加最多四张卡片",
  },
  "permission.background": {
    en: "Keep running while it is out of sight",
    ru: "Работать, когда её не видно",
    zh: "不可见时继续运行",
  },
  "permission.usage.read": {
    en: "See tokens and cost of this workspace",
    ru: "Видеть токены и расходы этого воркспейса",
    zh: "查看此工作区的令牌用量和费用",
  },

  "settings.menu": { en: "Settings…", ru: "Настройки…", zh: "设置…" },
  "settings.title": { en: "Settings of “{name}”", ru: "Настройки «{name}»", zh: "“{name}”的设置" },
  "settings.none": { en: "This card has no settings.", ru: "У этой карточки нет настроек.", zh: "此卡片没有设置。" },
  "settings.shared": {
    en: "for all cards of this package",
    ru: "для всех карточек этого пакета",
    zh: "适用于该扩展包的所有卡片",
  },
  "settings.required": { en: "required", ru: "обязательно", zh: "必填" },
  "settings.default": { en: "Back to the default", ru: "Вернуть значение по умолчанию", zh: "恢复默认值" },
  "settings.secretSet": { en: "set – type to replace it", ru: "задано — введите, чтобы заменить", zh: "已设置，输入以替换" },
  "settings.secretUnset": { en: "not set", ru: "не задано", zh: "未设置" },
  "settings.secretRemove": { en: "Remove", ru: "Удалить", zh: "移除" },
  "settings.secretKept": {
    en: "Kept encrypted on this computer. The card never sees it; Cardloom puts it into the headers of its web requests.",
    ru: "Хранится на этом компьютере зашифрованным. Карточка его не видит: Cardloom сам вставляет его в заголовки её запросов.",
    zh: "在本机加密保存。卡片无法看到它；Cardloom 会将其放入卡片网络请求的标头中。",
  },
  "settings.secretRemoved": { en: "will be removed", ru: "будет удалено", zh: "将被移除" },
  "settings.keep": { en: "Keep", ru: "Оставить", zh: "保留" },
  "settings.noNumber": { en: "This is no number.", ru: "Это не число.", zh: "这不是数字。" },
  "settings.atLeast": { en: "At least {limit}.", ru: "Не меньше {limit}.", zh: "不得小于 {limit}。" },
  "settings.atMost": { en: "At most {limit}.", ru: "Не больше {limit}.", zh: "不得大于 {limit}。" },
  "settings.noColor": { en: "No colour", ru: "Без цвета", zh: "无颜色" },
  "settings.choose": { en: "Choose…", ru: "Выберите…", zh: "请选择…" },
  "settings.missing": {
    en: { one: "A setting is missing.", other: "{count} settings are missing." },
    ru: {
      one: "Не хватает {count} настройки.",
      few: "Не хватает {count} настроек.",
      many: "Не хватает {count} настроек.",
      other: "Не хватает {count} настройки.",
    },
    zh: "缺少 {count} 项设置。",
  },
  "settings.fill": { en: "Fill in", ru: "Заполнить", zh: "填写" },
  "fail.settings": { en: "The settings were not saved", ru: "Настройки не сохранены", zh: "未能保存卡片设置" },
  "fail.settingsRead": { en: "The settings could not be read", ru: "Настройки не прочитаны", zh: "无法读取卡片设置" },
});
