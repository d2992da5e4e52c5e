#include "gui/theme.h"

#include <QApplication>
#include <QEvent>
#include <QFontDatabase>
#include <QPalette>
#include <QSettings>
#include <QStyleFactory>
#include <QStyleHints>
#include <QToolTip>
#include <algorithm>
#include <utility>

#ifdef PTXSCOPE_GUI_DBUS
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#endif

namespace ptxscope::gui {
namespace {

constexpr int smallest_font = 6;
constexpr int largest_font = 40;

Colors light_colors() {
  Colors c;
  c.base = QColor(0xff, 0xff, 0xff);
  c.text = QColor(0x1f, 0x23, 0x28);
  c.dim = QColor(0x65, 0x6d, 0x76);
  c.margin = QColor(0xf6, 0xf8, 0xfa);
  c.line = QColor(0xe4, 0xe8, 0xec);
  c.current_line = QColor(0xee, 0xf4, 0xfc);
  c.selection = QColor(0xb6, 0xd7, 0xff);
  c.accent = QColor(0x09, 0x69, 0xda);
  c.border = QColor(0xd0, 0xd7, 0xde);
  c.good = QColor(0x1a, 0x7f, 0x37);
  c.warning = QColor(0x9a, 0x67, 0x00);
  c.error = QColor(0xcf, 0x22, 0x2e);
  c.syntax = {c.text,
              QColor(0x6a, 0x73, 0x7d),   // comment
              QColor(0x82, 0x50, 0xdf),   // directive
              QColor(0x95, 0x38, 0x00),   // label
              QColor(0x5c, 0x64, 0x70),   // type
              QColor(0x1f, 0x23, 0x28),   // reg
              QColor(0x0a, 0x70, 0x6e),   // special
              QColor(0x05, 0x50, 0xae),   // number
              QColor(0x0a, 0x5c, 0x2e),   // string
              QColor(0x6f, 0x42, 0x0c),   // name
              QColor(0xcf, 0x22, 0x2e),   // unknown
              QColor(0x0b, 0x56, 0xb3),   // arithmetic
              QColor(0x11, 0x63, 0x29),   // memory
              QColor(0xa4, 0x0e, 0x6b),   // control
              QColor(0x8a, 0x45, 0x00),   // barrier
              QColor(0x5a, 0x32, 0xa3),   // matrix
              QColor(0xcf, 0x22, 0x2e)};  // trap
  c.marks = {QColor(0xff, 0xce, 0xcb), QColor(0xff, 0xe0, 0xb0), QColor(0xff, 0xf1, 0xa8), QColor(0xdd, 0xf4, 0xd4),
             QColor(0xcf, 0xe8, 0xff), QColor(0xff, 0xd9, 0xd6), QColor(0xe6, 0xe0, 0xfa)};
  c.occurrence = QColor(0xdd, 0xe6, 0xf0);
  c.found = QColor(0xff, 0xdf, 0x5d);
  c.block = QColor(0xff, 0xff, 0xff);
  c.block_border = QColor(0x8c, 0x95, 0x9f);
  c.trap_block = QColor(0xff, 0xeb, 0xe9);
  c.trap_border = QColor(0xcf, 0x22, 0x2e);
  c.loop = QColor(0xf1, 0xf3, 0xf6);
  c.edge = QColor(0x57, 0x60, 0x6a);
  c.edge_back = QColor(0x09, 0x69, 0xda);
  c.edge_trap = QColor(0xcf, 0x22, 0x2e);
  c.added = QColor(0xdc, 0xf8, 0xe1);
  c.removed = QColor(0xff, 0xe0, 0xdd);
  c.replaced = QColor(0xff, 0xf4, 0xc8);
  c.moved = QColor(0xdd, 0xec, 0xff);
  return c;
}

Colors dark_colors() {
  Colors c;
  c.dark = true;
  c.base = QColor(0x16, 0x1b, 0x22);
  c.text = QColor(0xe1, 0xe6, 0xeb);
  c.dim = QColor(0x93, 0x9c, 0xa6);
  c.margin = QColor(0x1c, 0x22, 0x2a);
  c.line = QColor(0x2b, 0x32, 0x3b);
  c.current_line = QColor(0x22, 0x2c, 0x3a);
  c.selection = QColor(0x26, 0x4f, 0x84);
  c.accent = QColor(0x58, 0xa6, 0xff);
  c.border = QColor(0x3a, 0x42, 0x4c);
  c.good = QColor(0x56, 0xd3, 0x64);
  c.warning = QColor(0xe3, 0xb3, 0x41);
  c.error = QColor(0xff, 0x7b, 0x72);
  c.syntax = {c.text,
              QColor(0x8b, 0x94, 0x9e),   // comment
              QColor(0xd2, 0xa8, 0xff),   // directive
              QColor(0xff, 0xb3, 0x77),   // label
              QColor(0xa4, 0xad, 0xb8),   // type
              QColor(0xe1, 0xe6, 0xeb),   // reg
              QColor(0x6f, 0xd6, 0xd0),   // special
              QColor(0x8f, 0xca, 0xff),   // number
              QColor(0x9c, 0xdc, 0xa8),   // string
              QColor(0xe8, 0xc0, 0x8c),   // name
              QColor(0xff, 0x7b, 0x72),   // unknown
              QColor(0x79, 0xb8, 0xff),   // arithmetic
              QColor(0x7e, 0xe7, 0x87),   // memory
              QColor(0xff, 0x9b, 0xce),   // control
              QColor(0xf2, 0xb2, 0x5c),   // barrier
              QColor(0xc5, 0xa3, 0xff),   // matrix
              QColor(0xff, 0x7b, 0x72)};  // trap
  c.marks = {QColor(0x6b, 0x20, 0x24), QColor(0x5f, 0x3c, 0x0d), QColor(0x50, 0x48, 0x0c), QColor(0x1c, 0x46, 0x28),
             QColor(0x10, 0x40, 0x68), QColor(0x5f, 0x26, 0x26), QColor(0x3a, 0x33, 0x5e)};
  c.occurrence = QColor(0x33, 0x3e, 0x4c);
  c.found = QColor(0x6e, 0x5a, 0x10);
  c.block = QColor(0x1c, 0x22, 0x2a);
  c.block_border = QColor(0x6e, 0x76, 0x81);
  c.trap_block = QColor(0x3c, 0x1c, 0x20);
  c.trap_border = QColor(0xff, 0x7b, 0x72);
  c.loop = QColor(0x20, 0x27, 0x31);
  c.edge = QColor(0x9a, 0xa3, 0xad);
  c.edge_back = QColor(0x58, 0xa6, 0xff);
  c.edge_trap = QColor(0xff, 0x7b, 0x72);
  c.added = QColor(0x14, 0x3d, 0x22);
  c.removed = QColor(0x52, 0x1d, 0x20);
  c.replaced = QColor(0x46, 0x3b, 0x0c);
  c.moved = QColor(0x17, 0x33, 0x54);
  return c;
}

QPalette palette_of(const Colors& c) {
  const QColor window = c.dark ? QColor(0x21, 0x27, 0x30) : QColor(0xf3, 0xf4, 0xf6);
  QPalette p;
  p.setColor(QPalette::Window, window);
  p.setColor(QPalette::WindowText, c.text);
  p.setColor(QPalette::Base, c.base);
  p.setColor(QPalette::AlternateBase, c.margin);
  p.setColor(QPalette::Text, c.text);
  p.setColor(QPalette::PlaceholderText, c.dim);
  p.setColor(QPalette::Button, c.dark ? QColor(0x2d, 0x34, 0x3e) : QColor(0xf0, 0xf1, 0xf3));
  p.setColor(QPalette::ButtonText, c.text);
  p.setColor(QPalette::BrightText, c.error);
  p.setColor(QPalette::ToolTipBase, c.dark ? QColor(0x2d, 0x34, 0x3e) : QColor(0xff, 0xff, 0xff));
  p.setColor(QPalette::ToolTipText, c.text);
  p.setColor(QPalette::Highlight, c.dark ? QColor(0x1f, 0x5f, 0xae) : QColor(0x09, 0x69, 0xda));
  p.setColor(QPalette::HighlightedText, Qt::white);
  p.setColor(QPalette::Link, c.accent);
  p.setColor(QPalette::LinkVisited, c.accent);
  p.setColor(QPalette::Light, window.lighter(c.dark ? 130 : 105));
  p.setColor(QPalette::Midlight, window.lighter(c.dark ? 115 : 102));
  p.setColor(QPalette::Mid, window.darker(c.dark ? 130 : 130));
  p.setColor(QPalette::Dark, window.darker(c.dark ? 160 : 160));
  p.setColor(QPalette::Shadow, QColor(0, 0, 0, c.dark ? 160 : 90));
  const QColor faint = c.dark ? QColor(0x6b, 0x74, 0x7e) : QColor(0x9a, 0xa1, 0xa9);
  for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    p.setColor(QPalette::Disabled, role, faint);
  return p;
}

bool is_dark(const QPalette& palette) {
  return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

// The palette that the desktop gave, before we set ours.
QPalette& desktop_palette() {
  static QPalette palette = QApplication::palette();
  return palette;
}

}  // namespace

QColor Colors::pressure(double share) const {
  // Green over yellow to red; of a lightness that text can stand on.
  const double clamped = std::clamp(share, 0.0, 1.0);
  const double hue = (1.0 - clamped) * 0.36;
  return dark ? QColor::fromHslF(static_cast<float>(hue), 0.55F, 0.26F + 0.06F * static_cast<float>(clamped))
              : QColor::fromHslF(static_cast<float>(hue), 0.75F, 0.84F - 0.08F * static_cast<float>(clamped));
}

Theme& Theme::instance() {
  static auto* const theme = new Theme;  // lives as long as the program: widgets ask until the last one is gone
  return *theme;
}

Theme::Theme() {
  static_cast<void>(desktop_palette());
  const QSettings settings;
  choice_ = static_cast<ThemeChoice>(std::clamp(settings.value(QStringLiteral("theme"), 0).toInt(), 0, 2));
  font_size_ = std::clamp(settings.value(QStringLiteral("font_size"), 10).toInt(), smallest_font, largest_font);
  qApp->installEventFilter(this);
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
  connect(QGuiApplication::styleHints(), &QStyleHints::colorSchemeChanged, this, [this] { apply(); });
#endif
  ask_system();
  apply();
}

// Qt before 6.5 does not know the desktop's colour scheme; the desktop portal does, where there is one.
void Theme::ask_system() {
#ifdef PTXSCOPE_GUI_DBUS
  QDBusConnection bus = QDBusConnection::sessionBus();
  if (!bus.isConnected()) return;
  static const bool listening = bus.connect(
      QStringLiteral("org.freedesktop.portal.Desktop"), QStringLiteral("/org/freedesktop/portal/desktop"),
      QStringLiteral("org.freedesktop.portal.Settings"), QStringLiteral("SettingChanged"), this, SLOT(ask_system()));
  static_cast<void>(listening);
  QDBusMessage question = QDBusMessage::createMethodCall(
      QStringLiteral("org.freedesktop.portal.Desktop"), QStringLiteral("/org/freedesktop/portal/desktop"),
      QStringLiteral("org.freedesktop.portal.Settings"), QStringLiteral("Read"));
  question << QStringLiteral("org.freedesktop.appearance") << QStringLiteral("color-scheme");
  auto* const watcher = new QDBusPendingCallWatcher(bus.asyncCall(question, 1000), this);
  connect(watcher, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* call) {
    const QDBusPendingReply<QDBusVariant> reply = *call;
    call->deleteLater();
    if (reply.isError()) return;
    QVariant value = reply.value().variant();
    if (value.canConvert<QDBusVariant>()) value = value.value<QDBusVariant>().variant();
    portal_dark_ = value.toUInt() == 1;  // 1: dark, 2: light, 0: no preference
    apply();
  });
#endif
}

bool Theme::system_is_dark() const {
#if QT_VERSION >= QT_VERSION_CHECK(6, 5, 0)
  const Qt::ColorScheme scheme = QGuiApplication::styleHints()->colorScheme();
  if (scheme != Qt::ColorScheme::Unknown) return scheme == Qt::ColorScheme::Dark;
#endif
  return portal_dark_ || is_dark(desktop_palette());
}

void Theme::apply() {
  const bool dark = choice_ == ThemeChoice::dark || (choice_ == ThemeChoice::system && system_is_dark());
  colors_ = dark ? dark_colors() : light_colors();
  applying_ = true;
  if (QStyle* const style = QStyleFactory::create(QStringLiteral("Fusion"))) QApplication::setStyle(style);
  QApplication::setPalette(palette_of(colors_));
  if (dark) {
    // Fusion frames them darker than the window, which is not seen there: what they are filled with has to show them.
    QPalette fields = palette_of(colors_);
    fields.setColor(QPalette::Base, fields.color(QPalette::Window).lighter(150));
    for (const char* const field : {"QLineEdit", "QAbstractSpinBox", "QCheckBox"})
      QApplication::setPalette(fields, field);
  }
  QToolTip::setPalette(palette_of(colors_));
  applying_ = false;
  Q_EMIT changed();
}

bool Theme::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ThemeChange && watched == qApp && !applying_) {
    ask_system();
    apply();
  }
  return QObject::eventFilter(watched, event);
}

void Theme::choose(ThemeChoice choice) {
  choice_ = choice;
  QSettings().setValue(QStringLiteral("theme"), static_cast<int>(choice));
  apply();
}

QFont Theme::code_font() const {
  QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  font.setPointSize(font_size_);
  font.setStyleHint(QFont::Monospace);
  font.setKerning(false);
  return font;
}

void Theme::set_font_size(int points) {
  const int size = std::clamp(points, smallest_font, largest_font);
  if (size == font_size_) return;
  font_size_ = size;
  QSettings().setValue(QStringLiteral("font_size"), size);
  Q_EMIT changed();
}

void Theme::reset_font_size() { set_font_size(10); }

}  // namespace ptxscope::gui
