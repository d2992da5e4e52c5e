// Colours and fonts, light and dark. Everything that paints asks here, and again when changed() comes.
#pragma once

#include <QColor>
#include <QFont>
#include <QObject>
#include <array>
#include <cstdint>

#include "gui/selection.h"

namespace ptxscope::gui {

enum class ThemeChoice : std::uint8_t { system, light, dark };

struct Colors {
  bool dark = false;
  QColor base, text, dim, margin, line, current_line, selection, accent, border;
  QColor good, warning, error;
  std::array<QColor, syntax_role_count> syntax;
  std::array<QColor, mark_role_count> marks;  ///< of the background behind text; fit for `text` on top
  QColor occurrence, found;
  // Of the control flow graph.
  QColor block, block_border, trap_block, trap_border, loop, edge, edge_back, edge_trap;
  // Of a comparison.
  QColor added, removed, replaced, moved;

  [[nodiscard]] const QColor& of(SyntaxRole role) const { return syntax[static_cast<std::size_t>(role)]; }
  [[nodiscard]] const QColor& of(MarkRole role) const { return marks[static_cast<std::size_t>(role)]; }
  /// From low (0) to high (1): of the register-pressure column.
  [[nodiscard]] QColor pressure(double share) const;
};

class Theme : public QObject {
  Q_OBJECT
 public:
  /// The one of this program. To be called first after the QApplication was made.
  static Theme& instance();

  [[nodiscard]] const Colors& colors() const { return colors_; }
  [[nodiscard]] ThemeChoice choice() const { return choice_; }
  void choose(ThemeChoice choice);
  /// Fixed pitch, of the size that was chosen; for code and graphs.
  [[nodiscard]] QFont code_font() const;
  [[nodiscard]] int font_size() const { return font_size_; }  ///< points
  void set_font_size(int points);                             ///< 6 to 40
  void change_font_size(int points) { set_font_size(font_size_ + points); }
  void reset_font_size();

 Q_SIGNALS:
  void changed();

 private:
  Theme();
  bool eventFilter(QObject* watched, QEvent* event) override;
  Q_SLOT void ask_system();
  void apply();
  [[nodiscard]] bool system_is_dark() const;

  ThemeChoice choice_ = ThemeChoice::system;
  bool portal_dark_ = false;  // what the desktop's settings say, where they can be asked
  int font_size_ = 10;
  bool applying_ = false;
  Colors colors_;
};

}  // namespace ptxscope::gui
