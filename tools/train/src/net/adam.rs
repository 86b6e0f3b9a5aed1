//! Steps of Adam (D. Kingma and J. Ba, "Adam: a method for stochastic optimization", 2015).

const BETAS: [f32; 2] = [0.9, 0.999];

/// So small that it only prevents a division by 0.
const EPSILON: f32 = 1e-8;

pub struct Adam {
    means: Vec<f32>,
    squares: Vec<f32>,
    /// The powers of the betas.
    powers: [f32; 2],
}

impl Adam {
    pub fn new(parameters: usize) -> Self {
        Self { means: vec![0.0; parameters], squares: vec![0.0; parameters], powers: [1.0; 2] }
    }

    /// One step by the mean of gradients that are the sums over `count` positions.
    pub fn step(&mut self, parameters: &mut [f32], gradients: &[Vec<f32>], count: usize, rate: f32) {
        self.powers[0] *= BETAS[0];
        self.powers[1] *= BETAS[1];
        let corrections = self.powers.map(|power| 1.0 / (1.0 - power));
        let share = 1.0 / count as f32;
        let states = self.means.iter_mut().zip(&mut self.squares);
        for (at, (parameter, (mean, square))) in parameters.iter_mut().zip(states).enumerate() {
            let gradient = share * gradients.iter().map(|part| part[at]).sum::<f32>();
            *mean += (1.0 - BETAS[0]) * (gradient - *mean);
            *square += (1.0 - BETAS[1]) * (gradient * gradient - *square);
            *parameter -= rate * *mean * corrections[0] / ((*square * corrections[1]).sqrt() + EPSILON);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_a_bowl_is_found() {
        let mut parameters = vec![1.0, -2.0];
        let mut adam = Adam::new(2);
        for _ in 0..2000 {
            let gradients = [vec![parameters[0] - 0.5, 0.0], vec![0.0, 10.0 * (parameters[1] - 0.25)]];
            adam.step(&mut parameters, &gradients, 1, 0.01);
        }
        assert!((parameters[0] - 0.5).abs() < 1e-3 && (parameters[1] - 0.25).abs() < 1e-3, "{parameters:?}");
    }
}
