#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "analysis/bench_formula.h"
#include "analysis/names.h"
#include "report/bench.h"
#include "report/bench_parts.h"
#include "report/html.h"

namespace ptxscope::report {

namespace {

using namespace analysis;

constexpr double width = 960, height = 520;
constexpr double left = 76, right = 936, top = 84, bottom = 380;

constexpr std::string_view style = R"(<style>
  svg { color-scheme: light dark; }
  .ground { fill: #ffffff; } .ink { fill: #1f2328; } .soft { fill: #59636e; }
  text { font-family: system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; font-size: 13px; fill: #1f2328; }
  .title { font-size: 17px; font-weight: 600; } .small { font-size: 12px; } text.soft { fill: #59636e; }
  .grid { stroke: #d8dee4; stroke-width: 1; } .one { stroke: #1f2328; stroke-width: 1.5; }
  .band { fill: #1a7f37; fill-opacity: 0.10; } .unknown { fill: #818b98; fill-opacity: 0.20; }
  .range { stroke-width: 1.5; } .interval { stroke-width: 7; stroke-linecap: round; stroke-opacity: 0.55; }
  .way { fill: none; stroke: #818b98; stroke-width: 1; stroke-dasharray: 3 3; }
  .slower { stroke: #cf222e; fill: #cf222e; } .faster { stroke: #1a7f37; fill: #1a7f37; }
  .same { stroke: #0969da; fill: #0969da; } .dull { stroke: #818b98; fill: #818b98; }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117; } .ink { fill: #e6edf3; } .soft { fill: #9198a1; }
    text { fill: #e6edf3; } text.soft { fill: #9198a1; }
    .grid { stroke: #30363d; } .one { stroke: #e6edf3; }
    .band { fill: #3fb950; fill-opacity: 0.14; } .unknown { fill: #9198a1; fill-opacity: 0.22; }
    .slower { stroke: #ff7b72; fill: #ff7b72; } .faster { stroke: #3fb950; fill: #3fb950; }
    .same { stroke: #58a6ff; fill: #58a6ff; } .dull { stroke: #9198a1; fill: #9198a1; } .way { stroke: #9198a1; }
  }
</style>
)";

std::string escaped(std::string_view text) { return html_escaped(printable(text, 200)); }

// "2" with a raised exponent, where the size is a power of two; the elements of a text.
std::string size_label(std::uint64_t n) {
  const std::string plain = size_text(n);
  const std::size_t hat = plain.find('^');
  if (hat == std::string::npos) return plain;
  return plain.substr(0, hat) + R"(<tspan dy="-5" font-size="10">)" + plain.substr(hat + 1) + "</tspan>";
}

std::string_view class_of(BenchVerdict verdict) {
  switch (verdict) {
    case BenchVerdict::slower:
      return "slower";
    case BenchVerdict::faster:
      return "faster";
    case BenchVerdict::no_difference:
      return "same";
    default:
      return "dull";
  }
}

struct Point {
  const BenchSize* size;
  BenchJudgement judgement;
  double x = 0;
  double low = 0, high = 0;  // of the interval; of the range where there is none
};

class Plot {
 public:
  Plot(const BenchMeasurement& measurement, const BenchRules& rules) : measurement_(measurement), rules_(rules) {
    for (const BenchSize& size : measurement.sizes) {
      BenchJudgement judgement = judge(size, measurement.b.has_value(), rules);
      if (judgement.ratio.count == 0 || size.n == 0) continue;
      const Summary& ratio = judgement.ratio;
      const double low = ratio.interval ? ratio.interval->low : ratio.lowest;
      const double high = ratio.interval ? ratio.interval->high : ratio.highest;
      points_.push_back({&size, std::move(judgement), 0, low, high});
    }
    std::ranges::sort(points_, {}, [](const Point& point) { return point.size->n; });
    place_sizes();
    choose_range();
  }

  std::string draw() {
    add(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img">)", width,
        height);
    out_ += '\n';
    out_ += "<title>" + escaped(title()) + "</title>\n";
    out_ += style;
    add(R"(<rect class="ground" width="{}" height="{}" rx="6"/>)", width, height);
    text(left, 30, "title", "start", escaped(title()));
    text(left, 50, "small soft", "start", escaped(subjects()));
    text(left, 67, "small soft", "start", escaped(conditions()));
    draw_axes();
    draw_points();
    draw_legend();
    out_ += "</svg>\n";
    return std::move(out_);
  }

 private:
  template <typename... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
    out_ += '\n';
  }
  void text(double x, double y, std::string_view classes, std::string_view anchor, std::string_view content) {
    add(R"(<text x="{:.1f}" y="{:.1f}" class="{}" text-anchor="{}">{}</text>)", x, y, classes, anchor, content);
  }
  void line(double x1, double y1, double x2, double y2, std::string_view classes) {
    add(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" class="{}"/>)", x1, y1, x2, y2, classes);
  }

  [[nodiscard]] std::string title() const {
    const auto shown = [](const std::string& name) {
      const std::string demangled = analysis::demangled_without_parameters(name);
      return demangled.empty() ? name : demangled;
    };
    const std::string a = shown(measurement_.a.kernel);
    const std::string b = measurement_.b ? shown(measurement_.b->kernel) : "";
    return (a == b ? a : b + " against " + a) + ": time of B over time of A, by size";
  }
  [[nodiscard]] std::string subjects() const {
    return "A " + measurement_.a.file + (measurement_.b ? ", B " + measurement_.b->file : "");
  }
  [[nodiscard]] std::string conditions() const {
    return measurement_.device.name +
           (measurement_.device.driver.empty() ? "" : ", driver " + measurement_.device.driver) + ", CUDA " +
           measurement_.device.cuda +
           (measurement_.cold ? "; L2 overwritten before each launch" : "; L2 as the launch before left it");
  }

  void place_sizes() {
    if (points_.empty()) return;
    const auto of = [](const Point& point) { return std::log2(static_cast<double>(point.size->n)); };
    const double first = of(points_.front());
    const double last = of(points_.back());
    for (Point& point : points_)
      point.x =
          last > first ? left + 36 + (of(point) - first) / (last - first) * (right - left - 72) : (left + right) / 2;
    if (points_.size() > 1) gap_ = right - left;
    for (std::size_t i = 1; i < points_.size(); ++i) gap_ = std::min(gap_, points_[i].x - points_[i - 1].x);
  }

  // What tells something is shown whole. What does not may widen the range to twice that, and is cut off beyond.
  void choose_range() {
    low_ = 1 - 2 * rules_.margin;
    high_ = 1 + 2 * rules_.margin;
    double widest_low = low_;
    double widest_high = high_;
    for (const Point& point : points_) {
      const bool tells = point.judgement.verdict != BenchVerdict::cannot_tell;
      (tells ? low_ : widest_low) = std::min(tells ? low_ : widest_low, point.low);
      (tells ? high_ : widest_high) = std::max(tells ? high_ : widest_high, point.high);
    }
    const double span = high_ - low_;
    low_ = std::max(std::min(low_, widest_low), low_ - span / 2);
    high_ = std::min(std::max(high_, widest_high), high_ + span / 2);
    const double edge = 0.06 * (high_ - low_);
    low_ = std::max(0.0, low_ - edge);
    high_ += edge;
  }

  [[nodiscard]] double y(double ratio) const {
    return bottom - (std::clamp(ratio, low_, high_) - low_) / (high_ - low_) * (bottom - top);
  }

  void draw_axes() {
    add(R"(<rect class="band" x="{}" y="{:.1f}" width="{}" height="{:.1f}"/>)", left, y(1 + rules_.margin),
        right - left, y(1 - rules_.margin) - y(1 + rules_.margin));
    const double rough = (high_ - low_) / 7;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    const double step = rough / power <= 1   ? power
                        : rough / power <= 2 ? 2 * power
                        : rough / power <= 5 ? 5 * power
                                             : 10 * power;
    const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
    for (double tick = std::ceil(low_ / step) * step; tick <= high_; tick += step) {
      line(left, y(tick), right, y(tick), "grid");
      text(left - 8, y(tick) + 4, "small", "end", fmt::format("{:.{}f}", tick, digits));
    }
    line(left, y(1), right, y(1), "one");
    text(right - 4, top - 6, "small soft", "end", "above 1: B takes longer");
    const double middle = (top + bottom) / 2;
    add(R"svg(<text transform="translate(22 {:.1f}) rotate(-90)" class="small soft" text-anchor="middle">time of B / time of A</text>)svg",
        middle);
    text(left - 8, bottom + 22, "small soft", "end", "n");
    text(left - 8, bottom + 42, "small soft", "end", "A µs");
  }

  void draw_points() {
    for (const Point& point : points_) {
      if (point.judgement.verdict != BenchVerdict::cannot_tell) continue;
      const double from = std::max(left, point.x - gap_ / 2);
      add(R"(<rect class="unknown" x="{:.1f}" y="{}" width="{:.1f}" height="{}"/>)", from, top,
          std::min(right, point.x + gap_ / 2) - from, bottom - top);
    }
    std::string way;
    for (const Point& point : points_) way += fmt::format("{:.1f},{:.1f} ", point.x, y(point.judgement.ratio.median));
    if (points_.size() > 1) add(R"(<polyline class="way" points="{}"/>)", way);
    double labelled = -1000;
    for (const Point& point : points_) {
      draw_point(point);
      if (point.x - labelled < 40) continue;
      labelled = point.x;
      text(point.x, bottom + 22, "small", "middle", size_label(point.size->n));
      text(point.x, bottom + 42, "small soft", "middle", microseconds(point.judgement.a.median));
    }
  }

  void draw_point(const Point& point) {
    const Summary& ratio = point.judgement.ratio;
    const std::string_view kind = class_of(point.judgement.verdict);
    out_ += "<g>\n<title>" +
            escaped("n = " + size_text(point.size->n) + ": " +
                    fmt::format("{:.4f} ({:.4f} to {:.4f}); lowest {:.4f}, highest {:.4f}; {} pairs; ", ratio.median,
                                point.low, point.high, ratio.lowest, ratio.highest, ratio.count) +
                    bench_verdict(point.judgement, rules_)) +
            "</title>\n";
    line(point.x, y(ratio.lowest), point.x, y(ratio.highest), fmt::format("range {}", kind));
    for (const double end : {ratio.lowest, ratio.highest})
      if (end >= low_ && end <= high_) line(point.x - 4, y(end), point.x + 4, y(end), fmt::format("range {}", kind));
    // Arrows where the range goes on outside.
    if (ratio.highest > high_) add(R"(<path class="{}" d="M{:.1f} {:.1f} l5 8 h-10 z"/>)", kind, point.x, top - 1);
    if (ratio.lowest < low_) add(R"(<path class="{}" d="M{:.1f} {:.1f} l5 -8 h-10 z"/>)", kind, point.x, bottom + 1);
    // Of a narrow interval the round ends alone are seen.
    if (ratio.interval && point.low <= high_ && point.high >= low_)
      line(point.x, y(point.low), point.x, std::min(y(point.high), y(point.low) - 0.1),
           fmt::format("interval {}", kind));
    if (ratio.median >= low_ && ratio.median <= high_)
      add(R"(<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="3.2"/>)", kind, point.x, y(ratio.median));
    out_ += "</g>\n";
  }

  void draw_legend() {
    const double y = bottom + 78;
    double x = left;
    const auto words = [&](double at, std::string_view content, double step) {
      text(at, y + 4, "small", "start", content);
      x += step;
    };
    add(R"(<circle class="same" cx="{:.1f}" cy="{:.1f}" r="3.2"/>)", x + 6, y);
    words(x + 16, "median", 84);
    line(x + 2, y, x + 20, y, "interval same");
    words(x + 30, escaped(percent(rules_.confidence) + " interval"), 130);
    line(x, y, x + 22, y, "range same");
    words(x + 30, "lowest to highest", 150);
    add(R"(<rect class="band" x="{:.1f}" y="{:.1f}" width="22" height="14"/>)", x, y - 7);
    words(x + 30, escaped("within " + percent(rules_.margin)), 118);
    add(R"(<rect class="unknown" x="{:.1f}" y="{:.1f}" width="22" height="14"/>)", x, y - 7);
    words(x + 30, "cannot tell", 0);
    const double second = y + 28;
    double place = left;
    for (const auto& [kind, words_of, step] :
         {std::tuple{"slower", "B slower", 90.0}, {"faster", "B faster", 90.0}, {"same", "no difference", 130.0}}) {
      add(R"(<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="3.2"/>)", kind, place + 6, second);
      text(place + 16, second + 4, "small", "start", words_of);
      place += step;
    }
  }

  const BenchMeasurement& measurement_;
  const BenchRules& rules_;
  std::vector<Point> points_;
  double low_ = 0, high_ = 2;
  double gap_ = 80;
  std::string out_;
};

}  // namespace

std::string bench_svg(const BenchMeasurement& measurement, const BenchRules& rules) {
  return Plot(measurement, rules).draw();
}

}  // namespace ptxscope::report
