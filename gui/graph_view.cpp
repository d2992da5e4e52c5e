#include "gui/graph_view.h"

#include <QComboBox>
#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QFontMetricsF>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "analysis/names.h"
#include "gui/export_graph.h"
#include "gui/theme.h"
#include "gui/words.h"
#include "report/cfg_parts.h"
#include "report/terminal.h"

namespace ptxscope::gui {
namespace {

constexpr unsigned seconds_for_part = 20;
constexpr unsigned seconds_for_whole = 60;
constexpr std::size_t blocks_of_small_part = 100;  // when the usual part takes too long
constexpr std::size_t most_kept = 12;
constexpr std::size_t no_limit = 1'000'000;

QLabel* text_label(QWidget* parent) {
  auto* const label = new QLabel(parent);
  make_wrapping(*label);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  return label;
}

}  // namespace

GraphView::GraphView(Document& document, Selection& selection, QWidget* parent) : Panel(document, selection, parent) {
  scene_ = new GraphScene(this);
  build();
  build_commands();
  settle_.setSingleShot(true);
  settle_.setInterval(80);
  connect(&settle_, &QTimer::timeout, this, &GraphView::refresh);
  connect(&document, &Document::module_changed, this, &GraphView::take_module);
  connect(&document, &Document::result_ready, this, [this](ResultKind kind, std::uint32_t function) {
    if (kind == ResultKind::flow && function == this->selection().now().function) refresh();
  });
  connect(&selection, &Selection::changed, this, &GraphView::follow);
  connect(&selection, &Selection::marks_changed, this, [this](MarkLayer layer) {
    if (layer == MarkLayer::traps) scene_->set_marks(this->selection().marks(MarkLayer::traps));
  });
  connect(&Theme::instance(), &Theme::changed, this, [this] {
    if (scene_->layout() != nullptr && scene_->layout()->plan->metrics != metrics()) settle_.start();
  });
  connect(scene_, &GraphScene::node_pressed, this, &GraphView::press);
  connect(canvas_, &GraphCanvas::node_wanted, this, &GraphView::press);
  connect(blocks_, &BlockTable::block_wanted, this,
          [this](std::uint32_t block) { this->selection().choose_block(function_, block, blocks_, Move::jump); });
}

GraphView::~GraphView() { layout_cancel_.request(); }

void GraphView::build() {
  canvas_ = new GraphCanvas(*scene_, this);
  canvas_->setAccessibleName(tr("Control flow graph"));
  canvas_->setAccessibleDescription(
      tr("Arrow keys follow edges and go to blocks beside; the same as a table by the command List of blocks"));
  blocks_ = new BlockTable(this);
  blocks_->hide();
  message_ = text_label(canvas_);
  message_->setAlignment(Qt::AlignCenter);
  message_->setAutoFillBackground(true);
  message_->setBackgroundRole(QPalette::Base);
  canvas_->installEventFilter(this);
  message_->setMargin(20);
  summary_ = text_label(this);
  summary_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  notice_ = text_label(this);
  notice_->setContentsMargins(8, 3, 8, 3);
  notice_->setAccessibleName(tr("Notice"));
  notice_->hide();
  whole_button_ = new QPushButton(tr("Show all"), this);
  whole_button_->setToolTip(tr("Lay out all blocks at once; it may take a minute, and can be cancelled"));
  whole_button_->hide();
  cancel_button_ = new QPushButton(tr("Cancel"), this);
  cancel_button_->hide();
  lines_box_ = new QComboBox(this);
  lines_box_->setAccessibleName(tr("Instructions shown in each block"));
  lines_box_->setToolTip(tr("Instructions shown in each block, the last ones"));
  for (const auto& [text, lines] : {std::pair(tr("no code"), 0), std::pair(tr("last 3"), 3), std::pair(tr("last 8"), 8),
                                    std::pair(tr("all code"), 100'000)})
    lines_box_->addItem(text, lines);
  lines_box_->setCurrentIndex(2);
  connect(lines_box_, &QComboBox::activated, this,
          [this](int index) { set_lines(lines_box_->itemData(index).toUInt()); });
  connect(whole_button_, &QPushButton::clicked, this, &GraphView::show_whole);
  connect(cancel_button_, &QPushButton::clicked, this, &GraphView::cancel);
  auto* const bar = new QHBoxLayout;
  bar->setContentsMargins(8, 2, 4, 2);
  bar->addWidget(summary_, 1);
  bar->addWidget(cancel_button_);
  bar->addWidget(lines_box_);
  auto* const second = new QHBoxLayout;
  second->setContentsMargins(0, 0, 4, 0);
  second->addWidget(notice_, 1);
  second->addWidget(whole_button_);
  split_ = new QSplitter(Qt::Vertical, this);
  split_->addWidget(canvas_);
  split_->addWidget(blocks_);
  split_->setChildrenCollapsible(false);
  auto* const column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addLayout(second);
  column->addWidget(split_, 1);
  setFocusProxy(canvas_);
  setMinimumWidth(160);
  show_message(tr("No function is chosen."));
}

void GraphView::build_commands() {
  const auto add = [this](const QString& text, const QKeySequence& key, auto action) {
    auto* const made = new QAction(text, this);
    made->setShortcut(key);
    connect(made, &QAction::triggered, this, action);
    commands_.append(made);
    return made;
  };
  add(tr("Zoom &in"), QKeySequence(Qt::ALT | Qt::Key_Equal), [this] { canvas_->zoom(1.25); });
  add(tr("Zoom &out"), QKeySequence(Qt::ALT | Qt::Key_Minus), [this] { canvas_->zoom(0.8); });
  add(tr("&Actual size"), QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_0), [this] { canvas_->reset_zoom(); });
  add(tr("&Fit into the panel"), QKeySequence(Qt::ALT | Qt::Key_0), [this] { canvas_->fit(); });
  list_action_ = new QAction(tr("&List of blocks"), this);
  list_action_->setCheckable(true);
  list_action_->setShortcut(QKeySequence(Qt::ALT | Qt::Key_L));
  connect(list_action_, &QAction::toggled, this, [this](bool on) {
    blocks_->setVisible(on);
    if (on) blocks_->set_chosen(chosen_block());
  });
  commands_.append(list_action_);
  add(tr("&Export the graph…"), QKeySequence(Qt::CTRL | Qt::Key_E), [this] { ask_picture(); });
}

GraphMetrics GraphView::metrics() const {
  const QFontMetricsF of(Theme::instance().code_font());
  QFont bold = Theme::instance().code_font();
  bold.setBold(true);
  const QString sample(50, QLatin1Char('0'));
  return {std::max(of.horizontalAdvance(sample), QFontMetricsF(bold).horizontalAdvance(sample)) / 50, of.height() + 1};
}

GraphOptions GraphView::options() const {
  GraphOptions options;
  options.lines = lines_;
  if (whole_) options.most_blocks = no_limit;
  options.around = chosen_block();
  if (options.around == analysis::no_block) options.around = 0;
  return options;
}

analysis::BlockId GraphView::chosen_block() const {
  const Choice& now = selection().now();
  if (flow_ == nullptr || now.function != function_) return analysis::no_block;
  if (now.block < flow_->cfg.blocks.size()) return now.block;
  return now.statement == no_index ? analysis::no_block : flow_->cfg.block_of(now.statement);
}

void GraphView::take_module() {
  layout_cancel_.request();
  set_busy(false);
  kept_.clear();
  function_ = no_index;
  module_ = nullptr;
  flow_ = nullptr;
  whole_ = false;
  failed_whole_.clear();
  scene_->show_layout(nullptr);
  blocks_->blocks().show_flow(nullptr, nullptr);
  canvas_->map().renew();
  settle_.start();
}

void GraphView::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  settle_.start();
}

void GraphView::follow(const Choice&, const QObject* by, Move move) {
  if (selection().now().function != function_) {
    if (isVisible()) settle_.start();
    return;
  }
  show_choice(move != Move::stay && by != scene_);
}

// Shows the function that is chosen, as far as it is known; starts what is missing.
void GraphView::refresh() {
  if (!isVisible()) return;
  const std::uint32_t function = selection().now().function;
  if (function == no_index) {
    if (function_ == no_index)
      show_message(document().module() == nullptr ? QString() : tr("Choose a function to see its control flow."));
    return;  // the cursor is between functions: the last one stays
  }
  if (function != function_) {
    layout_cancel_.request();
    set_busy(false);
    function_ = function;
    flow_ = nullptr;
    whole_ = false;
    stopped_ = false;
    failed_whole_.clear();
    said_.clear();
  }
  const auto answer = document().flow(function);
  if (!answer) {
    scene_->show_layout(nullptr);
    canvas_->map().renew();
    summary_->clear();
    notice_->hide();
    whole_button_->hide();
    show_message(answer.pending() ? tr("Following the control flow …") : answer.problem);
    return;
  }
  if (flow_ != answer.value) {
    flow_ = answer.value;
    module_ = document().module();
    blocks_->blocks().show_flow(module_, flow_);
  }
  show_texts();
  const GraphLayout* const shown = scene_->layout().get();
  const bool fits = shown != nullptr && shown->plan->flow == flow_ && shown->plan->metrics == metrics() &&
                    shown->plan->options.lines == lines_;
  const analysis::BlockId block = chosen_block();
  const bool has_block = fits && (block == analysis::no_block || !flow_->cfg.blocks[block].reachable ||
                                  shown->plan->node_of[block] != no_index);
  if (has_block && (!whole_ || !shown->plan->is_part)) {
    show_choice(true);
    return;
  }
  for (const auto& one : kept_) {
    if (one->plan->flow != flow_ || one->plan->metrics != metrics() || one->plan->options.lines != lines_ ||
        (whole_ && one->plan->is_part) ||
        (block != analysis::no_block && flow_->cfg.blocks[block].reachable && one->plan->node_of[block] == no_index))
      continue;
    show_layout(one);
    return;
  }
  if (!busy_ && !stopped_) start_layout();
}

void GraphView::start_layout() {
  set_busy(true);
  if (scene_->layout() != nullptr && scene_->layout()->plan->flow != flow_) {
    scene_->show_layout(nullptr);
    canvas_->map().renew();
  }
  if (scene_->layout() == nullptr)
    show_message(tr("Laying out %1 …").arg(counted(flow_->cfg.blocks.size(), tr("block"))));
  layout_cancel_ = in_background(
      this,
      [module = module_, flow = flow_, options = options(), metrics = metrics(), program = program_,
       whole = whole_](const Cancel& cancel) {
        const auto plan = std::make_shared<const GraphPlan>(plan_graph(module, flow, options, metrics));
        GraphDrawing drawing = lay_out(plan, whole ? seconds_for_whole : seconds_for_part, cancel, program);
        if (drawing.is_late && !whole && plan->nodes.size() > blocks_of_small_part) {
          GraphOptions fewer = options;
          fewer.most_blocks = blocks_of_small_part;
          drawing = lay_out(std::make_shared<const GraphPlan>(plan_graph(module, flow, fewer, metrics)),
                            seconds_for_part, cancel, program);
        }
        return drawing;
      },
      [this](Outcome<GraphDrawing> outcome) { take_drawing(std::move(outcome)); }, 8);
}

void GraphView::take_drawing(Outcome<GraphDrawing> outcome) {
  set_busy(false);
  const QString problem = outcome.value ? outcome.value->problem : outcome.problem;
  if (outcome.value && outcome.value->layout != nullptr) {
    kept_.push_front(outcome.value->layout);
    if (kept_.size() > most_kept) kept_.pop_back();
    show_layout(outcome.value->layout);
    // What was chosen meanwhile may lie outside of this part.
    settle_.start();
    return;
  }
  if (whole_) {
    whole_ = false;
    failed_whole_ = problem;
    settle_.start();
    show_texts();
    return;
  }
  stopped_ = true;
  scene_->show_layout(nullptr);
  canvas_->map().renew();
  show_message(
      outcome.value && outcome.value->is_late
          ? tr("%1 The blocks are listed below; with less code in each block it may be done in time.").arg(problem)
          : problem);
  list_action_->setChecked(true);
}

void GraphView::show_layout(std::shared_ptr<const GraphLayout> layout) {
  scene_->show_layout(std::move(layout));
  scene_->set_marks(selection().marks(MarkLayer::traps));
  message_->hide();
  canvas_->setMinimumHeight(0);
  canvas_->setSceneRect(scene_->sceneRect());
  canvas_->show_start();
  canvas_->map().renew();
  show_texts();
  show_choice(true);
}

void GraphView::show_choice(bool move) {
  const analysis::BlockId block = chosen_block();
  if (blocks_->isVisible()) blocks_->set_chosen(block);
  if (scene_->layout() == nullptr || scene_->layout()->plan->flow != flow_) return;
  const std::uint32_t node = block == analysis::no_block ? no_index : scene_->layout()->plan->node_of[block];
  scene_->set_chosen(node);
  if (node != no_index) {
    if (move) canvas_->show_node(node);
  } else if (block != analysis::no_block && flow_->cfg.blocks[block].reachable && scene_->layout()->plan->is_part) {
    stopped_ = false;
    settle_.start();  // the part around it
  }
}

void GraphView::show_texts() {
  if (flow_ == nullptr) return;
  const analysis::Cfg& cfg = flow_->cfg;
  const std::string_view name = module_->name(module_->functions()[function_].name);
  const std::string readable = analysis::demangled_without_parameters(name);
  QStringList parts{counted(cfg.blocks.size(), tr("block"))};
  if (!cfg.loops.empty()) parts += counted(cfg.loops.size(), tr("loop"));
  if (const std::uint32_t traps = report::count_trap_blocks(cfg); traps != 0)
    parts += traps == 1 ? tr("1 block traps") : tr("%1 blocks trap").arg(traps);
  if (const auto left_out = std::ranges::count(cfg.blocks, false, &analysis::Block::reachable); left_out != 0)
    parts += tr("%1 unreachable not drawn").arg(left_out);
  const QString text =
      QString::fromStdString(report::printable(readable.empty() ? name : std::string_view(readable), 60)) +
      QStringLiteral(": ") + parts.join(QStringLiteral(", "));
  summary_->setText(text);
  summary_->setToolTip(plain_tip(text));
  QStringList notes;
  const auto layout = scene_->layout();
  const bool is_part = layout != nullptr && layout->plan->flow == flow_ && layout->plan->is_part;
  if (is_part) {
    const std::size_t drawn =
        static_cast<std::size_t>(std::ranges::count(layout->plan->nodes, std::size_t{0}, &GraphNode::stands_for));
    notes += tr("Shown in parts: %1 blocks in one picture cannot be read. These are the %2 nearest to B%3; choose a "
                "block elsewhere, or a dashed box, to move on.")
                 .arg(layout->plan->reachable)
                 .arg(drawn)
                 .arg(layout->plan->options.around);
  }
  if (!failed_whole_.isEmpty()) notes += tr("All at once did not work: %1").arg(failed_whole_);
  if (!cfg.complete)
    for (const std::string& reason : cfg.incomplete_reasons)
      notes += tr("Incomplete: %1.").arg(QString::fromStdString(report::printable(reason, 200)));
  if (!said_.isEmpty()) notes += said_;
  notice_->setText(notes.join(QLatin1Char('\n')));
  notice_->setVisible(!notes.isEmpty());
  whole_button_->setVisible(is_part && failed_whole_.isEmpty() && !busy_);
}

void GraphView::show_message(const QString& text) {
  message_->setText(text);
  message_->raise();
  message_->show();
  place_message();
}

void GraphView::place_message() {
  constexpr int most_height = 260;
  message_->setGeometry(canvas_->rect());
  canvas_->setMinimumHeight(std::min(most_height, message_->heightForWidth(canvas_->width())));
}

bool GraphView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == canvas_ && event->type() == QEvent::Resize && !message_->isHidden()) place_message();
  return Panel::eventFilter(watched, event);
}

void GraphView::set_busy(bool busy) {
  busy_ = busy;
  cancel_button_->setVisible(busy);
  if (busy) whole_button_->hide();
}

void GraphView::press(std::uint32_t node) {
  if (scene_->layout() == nullptr || node >= scene_->layout()->plan->nodes.size()) return;
  const bool stub = scene_->layout()->plan->nodes[node].stands_for != 0;
  // A click moves nothing in the graph; a key may have to.
  selection().choose_block(function_, scene_->layout()->plan->nodes[node].block,
                           sender() == scene_ && !stub ? static_cast<const QObject*>(scene_) : this, Move::jump);
}

void GraphView::cancel() {
  if (!busy_) return;
  layout_cancel_.request();
  set_busy(false);
  if (whole_) {
    whole_ = false;
    show_texts();
    return;
  }
  stopped_ = true;
  if (scene_->layout() == nullptr)
    show_message(
        tr("Laying out the graph was cancelled. Choose other code sizes, or "
           "another function and this one again, to have it drawn."));
}

void GraphView::show_whole() {
  if (flow_ == nullptr) return;
  whole_ = true;
  stopped_ = false;
  failed_whole_.clear();
  layout_cancel_.request();
  set_busy(false);
  refresh();
  show_texts();
}

void GraphView::set_lines(std::uint32_t lines) {
  lines_ = lines;
  lines_box_->setCurrentIndex(std::max(0, lines_box_->findData(lines)));
  stopped_ = false;
  layout_cancel_.request();
  set_busy(false);
  refresh();
}

void GraphView::set_program(const QString& program) {
  program_ = program;
  stopped_ = false;
  kept_.clear();
  scene_->show_layout(nullptr);
  refresh();
}

void GraphView::ask_picture() {
  if (scene_->layout() == nullptr) {
    say(tr("There is no graph to export. Choose a function that has a body."));
    return;
  }
  const std::string_view name = module_->name(module_->functions()[function_].name);
  QString file = QString::fromStdString(report::printable(name, 80));
  file.replace(QLatin1Char('/'), QLatin1Char('_'));
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Export the graph"), QFileInfo(document().place().path).dir().filePath(file + QStringLiteral(".svg")),
      tr("Pictures (*.svg *.png *.pdf)"));
  if (!path.isEmpty()) save_picture(path);
}

bool GraphView::save_picture(const QString& path) {
  const QString problem = scene_->layout() == nullptr ? tr("there is no graph; choose a function that has a body")
                                                      : export_graph(*scene_, path);
  say(problem.isEmpty() ? tr("The graph was written to %1.").arg(path)
                        : tr("The graph was not written to %1: %2.").arg(path, problem));
  return problem.isEmpty();
}

void GraphView::say(const QString& text) {
  said_ = text;
  if (flow_ != nullptr) {
    show_texts();
  } else {
    notice_->setText(text);
    notice_->show();
  }
}

}  // namespace ptxscope::gui
