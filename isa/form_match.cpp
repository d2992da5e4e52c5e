#include "isa/form_match.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "isa/types.h"

namespace ptxscope::isa {

namespace {

// Words and the slots they may fill: a matching of all words, then of all slots that must be filled. Both are few, and
// augmenting paths find the largest matching (Kuhn).
class Matching {
 public:
  Matching(const Form& form, std::span<const std::string_view> words)
      : form_(form), words_(words), word_of_slot_(form.slots.size(), none) {}

  // Whether each word has a slot of its own.
  bool place_words() {
    if (words_.size() > form_.slots.size()) return false;
    // Slots that must be filled are tried first, so that no optional one takes what they need.
    for (std::size_t word = 0; word < words_.size(); ++word) {
      visited_.assign(form_.slots.size(), false);
      if (!place(word)) return false;
    }
    fill_needed();
    return true;
  }

  [[nodiscard]] const FormSlot* missing() const {
    for (std::size_t slot = 0; slot < form_.slots.size(); ++slot)
      if (!form_.slots[slot].optional && word_of_slot_[slot] == none) return &form_.slots[slot];
    return nullptr;
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  [[nodiscard]] bool fits(std::size_t word, std::size_t slot) const {
    return std::ranges::find(form_.slots[slot].words, words_[word]) != form_.slots[slot].words.end();
  }

  bool place(std::size_t word) {
    for (const bool optional : {false, true})
      for (std::size_t slot = 0; slot < form_.slots.size(); ++slot) {
        if (form_.slots[slot].optional != optional || visited_[slot] || !fits(word, slot)) continue;
        visited_[slot] = true;
        if (word_of_slot_[slot] != none && !place(word_of_slot_[slot])) continue;
        word_of_slot_[slot] = word;
        return true;
      }
    return false;
  }

  // A slot that must be filled takes a word from an optional one, perhaps by way of others.
  void fill_needed() {
    for (std::size_t slot = 0; slot < form_.slots.size(); ++slot) {
      if (form_.slots[slot].optional || word_of_slot_[slot] != none) continue;
      visited_.assign(form_.slots.size(), false);
      (void)fill(slot);
    }
  }
  bool fill(std::size_t slot) {
    visited_[slot] = true;
    for (std::size_t other = 0; other < form_.slots.size(); ++other) {
      const std::size_t word = word_of_slot_[other];
      if (word == none || visited_[other] || !fits(word, slot)) continue;
      if (form_.slots[other].optional || fill(other)) {
        if (form_.slots[other].optional) word_of_slot_[other] = none;
        word_of_slot_[slot] = word;
        return true;
      }
    }
    return false;
  }

  const Form& form_;
  std::span<const std::string_view> words_;
  std::vector<std::size_t> word_of_slot_;
  std::vector<bool> visited_;
};

}  // namespace

namespace {

FormMatch match_among(std::span<const Form* const> forms, std::span<const std::string_view> words) {
  using Kind = FormMatch::Kind;
  FormMatch result{Kind::no_such_form, {}, nullptr};
  for (const Form* form : forms) {
    Matching matching(*form, words);
    if (!matching.place_words()) continue;
    const FormSlot* missing = matching.missing();
    if (missing == nullptr) return {Kind::fits, {}, nullptr};
    if (result.missing == nullptr) result = {Kind::missing_word, {}, missing};
  }
  return result;
}

}  // namespace

FormMatch match_forms(std::string_view head, std::span<const std::string_view> words) {
  using Kind = FormMatch::Kind;
  constexpr std::size_t most_words = 32;
  const std::vector<const Form*> forms = forms_of(head);
  if (forms.empty()) return {};
  for (const std::string_view word : words)
    if (!has_word(head, word)) return {Kind::unknown_word, word, nullptr};
  if (words.size() > most_words) return {Kind::no_such_form, {}, nullptr};
  const FormMatch as_written = match_among(forms, words);
  if (as_written.kind == Kind::fits) return as_written;
  // ptxas takes a modifier that is not a type more than once.
  std::vector<std::string_view> once;
  for (const std::string_view word : words)
    if (find_type(word).kind != TypeKind::none || std::ranges::find(once, word) == once.end()) once.push_back(word);
  if (once.size() == words.size()) return as_written;
  return match_among(forms, once).kind == Kind::fits ? FormMatch{Kind::fits, {}, nullptr} : as_written;
}

}  // namespace ptxscope::isa
