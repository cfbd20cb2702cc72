/// The same traffic, and what other schedules would make of it, by another model of the radio.
package struct RadioModelling: Sendable, Equatable {
  /// What the radio did.
  package var use: RadioUse
  /// What each burst cost.
  package var bursts: [BurstEnergy]
  /// Whether it may be the program's radio, and so another model of what it costs.
  package var isCandidate: Bool
  /// Energy with sends that wait up to a minute for the next burst; nil where it is no candidate.
  package var coalescedJoules: Double?
  /// Energy with each series of polls replaced by its first request; nil where it is no candidate.
  package var withoutPollsJoules: Double?
}

extension NetworkSignal {
  /// The same traffic as another model has it.
  func modelled(by model: RadioModelling) -> NetworkSignal {
    var signal = self
    signal.radio = model.use
    for (index, energy) in model.bursts.enumerated() where index < signal.bursts.count {
      signal.bursts[index].energyJoules = energy.energyJoules
      signal.bursts[index].tailEnergyJoules = energy.tailEnergyJoules
    }
    if let joules = model.coalescedJoules {
      signal.coalesced?.energyJoules = joules
      signal.coalesced?.savedJoules = model.use.energyJoules - joules
    }
    if let joules = model.withoutPollsJoules {
      signal.withoutPolls?.energyJoules = joules
      signal.withoutPolls?.savedJoules = model.use.energyJoules - joules
    }
    return signal
  }
}

extension SignalSet {
  /// For how long the energy was spent that signals tell of: the radio's goes on after the recording.
  package func secondsSpent(on signals: [SignalKind]) -> Double {
    durationSeconds + (signals.contains(.network) ? network?.radio.secondsAfterEnd ?? 0 : 0)
  }

  /// The same recording by other models: each other one of the radio, and all priors at their bounds.
  package var variants: [SignalSet] {
    let priced = [PriorBound.low, .high].map { bound in
      var set = self
      set.priors = priors.at(bound)
      return set
    }
    guard let network else { return priced }
    return priced
      + network.models.map { model in
        var set = self
        set.network = network.modelled(by: model)
        return set
      }
  }
}
